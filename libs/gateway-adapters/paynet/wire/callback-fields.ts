import { FORM_REQUEST_TYPE } from '@app/gateway-protocol';
import type { InboundRequest } from '../../contract';
import { readFlatJson, underOwnNames, type AnswerFields } from './answer-fields';

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'text/json']);

const pairsOf = ({ method, contentType, query, body }: InboundRequest): Iterable<readonly [string, string]> | undefined => {
  if (method === 'GET') return query;
  if (contentType === FORM_REQUEST_TYPE) return new URLSearchParams(body);
  return JSON_TYPES.has(contentType) ? readFlatJson(body) : undefined;
};

/**
 * The members of a callback under the names of the interface: of the JSON or form body of a POST, or of the query of a GET (protocol decisions, sections 6
 * and 12). Undefined for what is neither.
 */
export const readCallbackFields = (request: InboundRequest): AnswerFields | undefined => {
  const pairs = pairsOf(request);
  const fields = pairs && underOwnNames(pairs);
  return fields?.has('status') === true ? fields : undefined;
};
