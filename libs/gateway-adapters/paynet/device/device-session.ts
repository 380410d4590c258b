import { DEVICE_OPERATIONS, readJsonText, type DeviceOperation } from '@app/gateway-protocol';
import { Secret } from '@app/kernel';

/** What asks for an order of the device interface beside the access token, which is derived. */
export interface RunningOrder {
  readonly operation: DeviceOperation;
  readonly token: string;
}

/** As it is kept sealed, so that any process can ask. */
export const writeSession = ({ operation, token }: RunningOrder): Secret<string> => new Secret(JSON.stringify({ operation, token }));

/** Undefined for a text that is none of these. */
export const readSession = (session: Secret<string>): RunningOrder | undefined => {
  const read = readJsonText(session.reveal());
  if ('refused' in read || typeof read.ok !== 'object' || read.ok === null) return undefined;
  const { operation: named, token } = read.ok as { readonly operation?: unknown; readonly token?: unknown };
  const operation = DEVICE_OPERATIONS.find((one) => one === named);
  return operation === undefined || typeof token !== 'string' ? undefined : { operation, token };
};
