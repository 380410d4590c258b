import { Option, type Command } from 'commander';
import {
  type CardDetails,
  type Destination,
  type DeviceOrder,
  type Source,
  DeviceClient,
  type DeviceClientSettings,
} from '@app/device-client';
import type { DeviceOperation } from '@app/gateway-protocol';
import { parseAmount, Secret, systemClock, systemScheduler } from '@app/kernel';
import { CommandFailed, EXIT, type Output, type CommandContext } from '../terminal';
import { TypedSecrets, type Keyboard, keyboardOfProcess } from './typed-secrets';
import { DeviceReport, ASK, chosenFee, WaitingLine } from './device-report';

interface OrderOptions {
  readonly email: string;
  readonly birthday?: string;
  readonly currency: string;
  readonly amount?: string;
  readonly card?: string;
  readonly expiry?: string;
  readonly holder?: string;
  readonly cvv?: string;
  readonly to?: string;
  readonly description?: string;
}

const REFERENCE = 'ref:';
const GROUPED_DIGITS = /^\d[\d -]{7,30}$/;
const EXPIRY = /^(\d{1,2})\/(\d{4})$/;
const BIN_LENGTH = 6;

const CARD_WORDS = 'a card number or a reference; - takes a line of standard input, @path of a file';

/** Groups of digits are a card number. Other text, or text after `ref:`, is the clientCardId of a known card. */
type NamedCard = { readonly number: Secret<string> } | { readonly clientCardId: string };

const namedCard = (typed: Secret<string>): NamedCard => {
  const text = typed.reveal();
  if (text.startsWith(REFERENCE)) return { clientCardId: text.slice(REFERENCE.length) };
  return GROUPED_DIGITS.test(text) ? { number: new Secret(text.replace(/[ -]/g, '')) } : { clientCardId: text };
};

const required = <Value>(value: Value | undefined, option: string, what: string): Value => {
  if (value === undefined) throw new CommandFailed(`${option} is needed: ${what}`, EXIT.usage);
  return value;
};

const amountOf = (text: string): bigint => {
  const minor = parseAmount(text);
  if (minor === undefined) throw new CommandFailed('--amount is in major units with a dot, at most two decimals: 10.42', EXIT.usage);
  return minor;
};

const expiryOf = (text: string): CardDetails['expiry'] => {
  const [, month, year] = EXPIRY.exec(text) ?? [];
  if (month === undefined || year === undefined)
    throw new CommandFailed('--expiry is a month and a year of four digits: 12/2035', EXIT.usage);
  return { month: Number(month), year: Number(year) };
};

/** The order of an operation, with its secrets read. @throws CommandFailed in one line without secrets */
export const orderOf = async (operation: DeviceOperation, options: OrderOptions, secrets: TypedSecrets): Promise<DeviceOrder> => {
  const { email, birthday: birthDay, currency, description } = options;
  const amount = operation === 'verification' ? undefined : amountOf(required(options.amount, '--amount', 'how much'));
  const paying = namedCard(required(await secrets.read('--card', options.card, 'Card number, or its reference: '), '--card', CARD_WORDS));
  const receiving = operation === 'transfer' ? await receivingCard(options, secrets) : undefined;
  const common = { currency, email, birthDay, ...(description !== undefined && { details: { description } }) };
  if (amount === undefined) {
    if (!('number' in paying)) throw new CommandFailed('a reference cannot be verified: --card is to be a card number', EXIT.usage);
    return { ...common, operation: 'verification', card: await cardInHand(paying.number, options, secrets) };
  }
  const paid = { ...common, amountCentis: amount, source: await sourceOf(paying, options, secrets) };
  if (receiving === undefined) return { ...paid, operation: 'sale' };
  const destination: Destination = 'number' in receiving ? { card: receiving } : { reference: receiving };
  return { ...paid, operation: 'transfer', destination, fromBin: binOf(paying), toBin: binOf(receiving) };
};

const receivingCard = async (options: OrderOptions, secrets: TypedSecrets): Promise<NamedCard> =>
  namedCard(required(await secrets.read('--to', options.to, 'Card that receives, or its reference: '), '--to', CARD_WORDS));

const cardInHand = async (number: Secret<string>, options: OrderOptions, secrets: TypedSecrets): Promise<CardDetails> => {
  const expiry = expiryOf(required(options.expiry, '--expiry', 'of the card, as 12/2035'));
  const printedName = required(options.holder, '--holder', 'the name on the card');
  const securityCode = required(await secrets.read('--cvv', options.cvv, 'Security code: '), '--cvv', 'the security code of the card');
  return { number, securityCode, expiry, holder: { printedName } };
};

const sourceOf = async (card: NamedCard, options: OrderOptions, secrets: TypedSecrets): Promise<Source> => {
  if ('number' in card) return { card: await cardInHand(card.number, options, secrets) };
  // With a reference the gate may need no CVV, so the verb does not ask for one.
  const securityCode = options.cvv === undefined ? undefined : await secrets.read('--cvv', options.cvv, '');
  return { reference: { clientCardId: card.clientCardId, securityCode } };
};

const binOf = (card: NamedCard): string | undefined => ('number' in card ? card.number.reveal().slice(0, BIN_LENGTH) : undefined);

export interface DeviceOptions extends OrderOptions {
  readonly gateway: string;
  readonly prefix: string;
  readonly merchant: string;
  readonly product?: string;
  /** If absent, the verb requests a token. */
  readonly accessToken?: string;
  readonly serial: string;
  readonly imei?: string;
  readonly fee?: string;
}

const DEVICE_VERBS = { verify: 'verification', sale: 'sale', transfer: 'transfer' } as const satisfies Readonly<
  Record<string, DeviceOperation>
>;
export type DeviceVerb = keyof typeof DEVICE_VERBS;

/** For tests; the command line uses the client's defaults. */
type DeviceTiming = Pick<DeviceClientSettings, 'cadence' | 'scheduler'>;

const clientOf = ({ gateway, prefix, merchant, product, serial, imei }: DeviceOptions, timing: DeviceTiming): DeviceClient => {
  const merchantUrl = product === undefined ? merchant : `${merchant.replace(/\/+$/, '')}/${encodeURIComponent(product)}`;
  try {
    return new DeviceClient({ gatewayUrl: gateway, pathPrefix: prefix, merchantUrl, device: { serialNumber: serial, imei }, ...timing });
  } catch (error) {
    throw error instanceof RangeError ? new CommandFailed(error.message.replace('Url must', ' must'), EXIT.usage) : error;
  }
};

/**
 * `orch device verify|sale|transfer`: plays a consumer's device against any merchant server and gateway (interface, sections 4.2 to 4.7).
 * Resolves with the exit code: 0 if approved, else 1. @throws CommandFailed for an order that cannot be sent
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

const DESCRIPTIONS: Readonly<Record<DeviceVerb, string>> = {
  verify: 'verify a card, and show the reference for its next use',
  sale: 'pay with a card, or with a reference',
  transfer: 'move money from one card to another, each of them a card or a reference',
};

const CARD_FORMS = 'a card number, a reference, - for a line of standard input or @path for one of a file; asked for on a terminal';

export const addDeviceCommands = (program: Command, { output, endedWith }: CommandContext): void => {
  const devices = program
    .command('device')
    .description(
      'act as a consumer’s device: get an invoice from the merchant server, send the order to the gateway, follow it to its end',
    );

  for (const verb of Object.keys(DEVICE_VERBS) as DeviceVerb[]) {
    const command = devices
      .command(verb)
      .description(DESCRIPTIONS[verb])
      .option('--gateway <url>', 'address of the gateway', 'http://127.0.0.1:8080')
      .option('--prefix <path>', 'its path prefix before /dapi/v1/', '/paynet')
      .option('--merchant <url>', 'address of the merchant server', 'http://127.0.0.1:8081')
      .option('--product <login>', 'the merchant (product) at the merchant server')
      .addOption(
        new Option('--access-token <token>', 'an existing access token; by default one is requested for --email').env(
          'DEVICE_ACCESS_TOKEN',
        ),
      )
      .requiredOption('--serial <number>', 'serial number of the device')
      .option('--imei <number>', 'its IMEI')
      .requiredOption('--email <address>', 'of the consumer')
      .option('--birthday <ddMMyyyy>', 'of the consumer')
      .option('--card <card>', `${CARD_FORMS}. The number of a test card is also accepted`)
      .option('--expiry <month/year>', 'of a card number, as 12/2035')
      .option('--holder <name>', 'of a card number, as printed on the card')
      .option('--cvv <code>', 'its security code, in the same forms')
      .requiredOption('--currency <code>', 'ISO 4217')
      .option('--description <text>', 'description of the order');
    if (verb !== 'verify') command.requiredOption('--amount <amount>', 'in major units, as 10.42');
    if (verb === 'transfer') {
      command
        .option('--to <card>', `the card that receives: ${CARD_FORMS}`)
        .option('--fee <choice>', 'choice among the offered fees: cheapest, ask, or an alias', 'ask');
    }
    command.action(async (options: DeviceOptions) => {
      endedWith(await device(verb, options, output(), { keyboard: keyboardOfProcess() }));
    });
  }
};
