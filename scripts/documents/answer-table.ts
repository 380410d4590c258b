import * as protocol from '@app/gateway-protocol';
import { tableRow } from './markdown-table';

const exported: Readonly<Record<string, unknown>> = protocol;

const isDescribed = (list: unknown): list is protocol.AnswerFields<string> => Array.isArray(list) && 'meanings' in list;

export const answerTable = (list: string): readonly string[] => {
  const fields = exported[list];
  if (!isDescribed(fields)) throw new Error(`${list} is no list of answer fields of @app/gateway-protocol`);
  return [
    tableRow('Field', 'Meaning'),
    tableRow('---', '---'),
    ...Object.entries(fields.meanings).map(([field, meaning]) => tableRow(`\`${field}\``, meaning)),
  ];
};
