import type { InboundRequest } from '@app/gateway-adapters/contract';
import { readFlatJson, underOwnNames, type AnswerFields } from './answer-fields';

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'text/json']);

/**
 * The members of a callback under the names of the interface: of the JSON body of a POST, or of the query of a GET (protocol decisions, section 6).
 * Undefined for what is neither.
 */
export const readCallbackFields = ({ method, contentType, query, body }: InboundRequest): AnswerFields | undefined => {
  const pairs = method === 'GET' ? [...query] : JSON_TYPES.has(contentType) ? readFlatJson(body) : undefined;
  const fields = pairs && underOwnNames(pairs);
  return fields?.has('status') === true ? fields : undefined;
};
