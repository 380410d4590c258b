import { DEVICE_OPERATIONS, readJsonText, type DeviceOperation } from '@app/gateway-protocol';
import { Secret, type Currency } from '@app/kernel';
import type { ChoiceNeeded, Unknown } from '../../contract';
import type { AnsweredFee } from './device-answer';

export interface RunningOrder {
  readonly operation: DeviceOperation;
  readonly token: string;
}

/** Stored sealed, so that any process can ask. */
export const writeSession = ({ operation, token }: RunningOrder): Secret<string> => new Secret(JSON.stringify({ operation, token }));

export const readSession = (session: Secret<string>): RunningOrder | undefined => {
  const read = readJsonText(session.reveal());
  if ('refused' in read || typeof read.ok !== 'object' || read.ok === null) return undefined;
  const { operation: named, token } = read.ok as { readonly operation?: unknown; readonly token?: unknown };
  const operation = DEVICE_OPERATIONS.find((one) => one === named);
  return operation === undefined || typeof token !== 'string' ? undefined : { operation, token };
};

interface UpstreamChoice {
  readonly token: string;
  readonly assignedId: string;
}

/** Names that the order's paths can carry (protocol decisions, section 8). */
const NAME = /^(?!status$)[a-z0-9-]{1,64}$/;
const FEES_MAX = 20;
const SESSION_CHARACTERS_MAX = 1_024;

const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };

/** The upstream gateway's alias if it is valid and unique; otherwise `fee-N`, by its place in the list. */
const nameOf = (fee: AnsweredFee, index: number, fees: readonly AnsweredFee[]): string => {
  const { assignedId } = fee;
  const isOnly = fees.every((other) => other === fee || other.assignedId !== assignedId);
  return NAME.test(assignedId) && isOnly && !assignedId.startsWith('fee-') ? assignedId : `fee-${index + 1}`;
};

/**
 * Translates the upstream gateway's fees. The session maps each renamed fee to its original alias, so that any process can send the choice.
 */
export const choiceNeeded = (fees: readonly AnsweredFee[], currency: Currency, token: string): ChoiceNeeded | Unknown => {
  if (fees.length > FEES_MAX) return UNRECOGNISED;
  const named = fees.map((fee, index) => ({ option: nameOf(fee, index, fees), fee }));
  const renamed = named.filter(({ option, fee }) => option !== fee.assignedId).map(({ option, fee }) => [option, fee.assignedId]);
  const session = JSON.stringify({ token, renamed: Object.fromEntries(renamed) as object });
  if (session.length > SESSION_CHARACTERS_MAX) return UNRECOGNISED;
  return {
    kind: 'choice-needed',
    options: named.map(({ option, fee }) => ({ option, commission: { minor: fee.commissionCentis, currency } })),
    session: new Secret(session),
  };
};

export const readChoice = (session: Secret<string>, option: string): UpstreamChoice | undefined => {
  const read = readJsonText(session.reveal());
  if ('refused' in read || typeof read.ok !== 'object' || read.ok === null) return undefined;
  const { token, renamed } = read.ok as { readonly token?: unknown; readonly renamed?: Readonly<Record<string, unknown>> | null };
  if (typeof token !== 'string' || typeof renamed !== 'object' || renamed === null) return undefined;
  const assignedId = Object.hasOwn(renamed, option) ? renamed[option] : option;
  return typeof assignedId === 'string' ? { token, assignedId } : undefined;
};
