import { DeviceClient, type DeviceClientSettings } from '@app/device-client';
import type { DeviceOperation } from '@app/gateway-protocol';
import { Secret, systemClock, systemScheduler } from '@app/kernel';
import { CommandFailed, EXIT } from '../command-failed';
import { DeviceReport } from './device-report';
import { ASK, chosenFee } from './fee-choice';
import { orderOf, type OrderOptions } from './order-options';
import { TypedSecrets, type Keyboard } from './typed-secrets';
import { WaitingLine } from './waiting-line';
import type { Output } from '../terminal/output';

export interface DeviceOptions extends OrderOptions {
  readonly gateway: string;
  readonly prefix: string;
  readonly merchant: string;
  /** Login of one of several products behind one merchant server. */
  readonly product?: string;
  /** An existing access token; the verb asks for one where it is absent. */
  readonly accessToken?: string;
  readonly serial: string;
  readonly imei?: string;
  readonly fee?: string;
}

/** The verbs of `orch device`, with the operation of each. */
export const DEVICE_VERBS = { verify: 'verification', sale: 'sale', transfer: 'transfer' } as const satisfies Readonly<
  Record<string, DeviceOperation>
>;
export type DeviceVerb = keyof typeof DEVICE_VERBS;

/** A test sets it; the command line has the client's own. */
export type DeviceTiming = Pick<DeviceClientSettings, 'cadence' | 'scheduler'>;

const clientOf = ({ gateway, prefix, merchant, product, serial, imei }: DeviceOptions, timing: DeviceTiming): DeviceClient => {
  const merchantUrl = product === undefined ? merchant : `${merchant.replace(/\/+$/, '')}/${encodeURIComponent(product)}`;
  try {
    return new DeviceClient({ gatewayUrl: gateway, pathPrefix: prefix, merchantUrl, device: { serialNumber: serial, imei }, ...timing });
  } catch (error) {
    throw error instanceof RangeError ? new CommandFailed(error.message.replace('Url must', ' must'), EXIT.usage) : error;
  }
};

/**
 * `orch device verify|sale|transfer`: plays a consumer's device against any merchant server and any gateway (interface, sections 4.2 to 4.7). Resolves
 * with the exit code: 0 where it was approved, else 1. @throws CommandFailed for an order that cannot be sent
 */
export const device = async (
  verb: DeviceVerb,
  options: DeviceOptions,
  output: Output,
  { keyboard, timing = {} }: { readonly keyboard: Keyboard; readonly timing?: DeviceTiming },
): Promise<number> => {
  const client = clientOf(options, timing);
  const secrets = new TypedSecrets(keyboard);
  try {
    const order = await orderOf(DEVICE_VERBS[verb], options, secrets);
    const waiting = keyboard.isTerminal ? new WaitingLine(keyboard.ask, { ...systemClock, ...systemScheduler }) : undefined;
    const report = new DeviceReport(output, order.currency, waiting);
    const session = await sessionOf(client, options);
    if (session.kind !== 'answered') return report.noSession(session);
    const ask = keyboard.isTerminal ? (question: string) => secrets.typed(question, { isHidden: false }) : undefined;
    const watcher = report.watcher((fees) => chosenFee(fees, options.fee ?? ASK, ask));
    return report.ended(await session.value.run(order, watcher));
  } finally {
    secrets.close();
    await client.close();
  }
};

const sessionOf = async (client: DeviceClient, { accessToken, email }: DeviceOptions) =>
  accessToken === undefined ? client.signIn({ email }) : { kind: 'answered' as const, value: client.session(new Secret(accessToken)) };
