import { encodeForm, FORM_REQUEST_TYPE } from '@app/gateway-protocol';

/** Fields of a form in wire order; one that is undefined is left out. */
export type FormPairs = readonly (readonly [name: string, value: string | undefined])[];

/** One request of Group A as a client sends it. */
export interface UpstreamRequest {
  readonly method: 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const formRequest = (path: string, pairs: FormPairs, headers: Readonly<Record<string, string>> = {}): UpstreamRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': FORM_REQUEST_TYPE, ...headers },
  body: encodeForm(pairs),
});
