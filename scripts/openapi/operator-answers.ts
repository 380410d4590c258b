import type { JsonSchema } from '@app/gateway-protocol';
import { ref, type Documentation, type DocumentedParameter, type DocumentedResponse } from './documented-operation';
import { closed, TEXT, INDEX } from './operator.schemas';

export const JSON_TYPE = 'application/json';

/** A request of the operator port, without what follows from its name. */
export type Asked = Omit<Documentation, 'security' | 'description' | 'tag'>;

export const answer = (description: string, schema: JsonSchema): DocumentedResponse => ({
  description,
  content: { [JSON_TYPE]: { schema } },
});
export const refused = (description: string): DocumentedResponse => answer(description, ref('Refused'));
const AWAY = { 503: refused('A store does not answer') };
export const ADMISSION = {
  401: refused('No token of an operator'),
  403: refused('The role may not; or a `Host` that is none of this port’s, or a page of a browser'),
};
/** Of what needs no token. */
export const OTHERS = { 403: refused('A `Host` that is none of this port’s, or a page of a browser') };
export const UNREADABLE = { 400: refused('The question cannot be read'), ...AWAY };
export const NOT_FOUND = { 404: refused('There is none of this id'), ...AWAY };
export const ORDER_NOT_FOUND = { 404: answer('There is none of this id in the index', closed({ error: TEXT, index: INDEX }, ['index'])) };
export const ACTION = {
  ...NOT_FOUND,
  400: refused('A member is missing, misspelt or wrong'),
  413: refused('The body is larger than 16 KiB'),
  415: refused('The body is not JSON'),
  504: refused('Not known whether it was done'),
};
export const named = (name: string, description: string): DocumentedParameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: TEXT,
});
export const ORDER_ID = named('orderId', 'As the merchant was answered.');
export const bodyOf = (name: string, example: object) => ({ type: JSON_TYPE, schema: ref(name), example });
