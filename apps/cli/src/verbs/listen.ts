import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { systemClock, type Instant } from '@app/kernel';
import type { Merchant } from '@app/configuration';
import { bodyReader } from '@app/http/server';
import {
  callbackControl,
  type ControlKey,
  FORM_REQUEST_TYPE,
  isControl,
  isWebhookAuthentic,
  type WebhookHeaders,
} from '@app/gateway-protocol';
import { CommandFailed, EXIT, asJson, type Output, printable, shortened, StopRequest, writeResult, type CommandContext } from '../terminal';
import { configurationOf, ownEnvironment } from '../stores';

interface CallbackParts {
  readonly method: string;
  readonly query: string;
  readonly contentType: string;
  readonly body: string;
  readonly headers: Partial<WebhookHeaders>;
}

interface CheckedCallback {
  readonly members: Members;
  /** The merchant whose key made the checksum; undefined if none did. */
  readonly merchant: string | undefined;
  /** `not-signed` if the merchant has no secret, or there is no merchant. */
  readonly signature: 'good' | 'wrong' | 'not-signed';
}

export type CallbackMerchant = Pick<Merchant, 'login' | 'controlKey' | 'callback'>;

/** A GET appends the members to the address's own query. `status` occurs once, and values contain no unencoded ampersand. A form body has only the members. */
const MEMBERS_BEGIN = /(?:^|&)(?=status=)/g;

type Members = ReadonlyMap<string, string>;

const readForm = (form: string): readonly { readonly text: string; readonly members: Members }[] =>
  [...form.matchAll(MEMBERS_BEGIN)].slice(-1).map(({ 0: gap, index }) => {
    const text = form.slice(index + gap.length);
    return { text, members: new Map(new URLSearchParams(text)) };
  });

/** Undefined unless the text is a JSON object. */
export const jsonMembers = (text: string): Members | undefined => {
  try {
    const value = JSON.parse(text) as unknown;
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    return new Map(Object.entries(value).map(([name, member]) => [name, String(member)]));
  } catch {
    return undefined;
  }
};

const readJson = (text: string): ReturnType<typeof readForm> => {
  const members = jsonMembers(text);
  return members === undefined ? [] : [{ text, members }];
};

export const isControlOf = (controlKey: ControlKey, members: Members): boolean => {
  const text = (name: string): string => members.get(name) ?? '';
  const named = { status: text('status'), orderId: text('orderid'), clientOrderId: text('client_orderid') };
  return isControl(callbackControl(named, controlKey), text('control'));
};

/** Checks the checksum, and the signature if the merchant has a secret. Undefined for any other request. */
export const checkCallback = (
  { method, query, contentType, body, headers }: CallbackParts,
  merchants: readonly CallbackMerchant[],
  now: Instant,
): CheckedCallback | undefined => {
  const isForm = contentType.toLowerCase().startsWith(FORM_REQUEST_TYPE);
  const read = method === 'GET' ? readForm(query) : isForm ? readForm(body) : readJson(body);
  for (const { text, members } of read) {
    const merchant = merchants.find(({ controlKey }) => isControlOf(controlKey, members));
    if (merchant === undefined) continue;
    const { secret } = merchant.callback;
    const signature = secret === undefined ? 'not-signed' : isWebhookAuthentic(headers, text, secret, now) ? 'good' : 'wrong';
    return { members, merchant: merchant.login, signature };
  }
  const [first] = read;
  return first && { members: first.members, merchant: undefined, signature: 'not-signed' };
};

interface ListenOptions {
  readonly port: string;
  readonly host: string;
}

const BODY_BYTES_MAX = 65_536;
const VALUE_SHOWN_MAX = 200;
const PORT = /^(0|[1-9]\d{0,4})$/;
const PORT_MAX = 65_535;
const readBody = bodyReader(BODY_BYTES_MAX);

/**
 * `orch listen`: a merchant's server that receives callbacks by POST and GET at any path, and verifies them with the configured keys.
 * An invalid callback is answered with 403, so that it is repeated.
 * @throws CommandFailed if the port is unavailable
 */
export const listen = async (
  { port, host }: ListenOptions,
  output: Output,
  stop: Pick<StopRequest, 'requested'> = new StopRequest(),
): Promise<void> => {
  if (!PORT.test(port) || Number(port) > PORT_MAX) throw new CommandFailed(`--port must be a number from 0 to ${PORT_MAX}`, EXIT.usage);
  const { merchants } = configurationOf(ownEnvironment()).accounts;
  const server = createServer((request, response) => void answer(request, response, merchants, output));
  await listenAt(server, Number(port), host);
  const { port: bound } = server.address() as AddressInfo;
  const logins = merchants.map(({ login }) => login);
  writeResult(
    output,
    { kind: 'listening', host, port: bound, merchants: logins },
    () => `listening for callbacks of ${logins.join(', ')} on http://${host}:${bound}; Ctrl-C stops it`,
  );
  await stop.requested;
  await new Promise((closed) => {
    server.close(closed);
    server.closeAllConnections();
  });
};

const listenAt = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      reject(
        new CommandFailed(
          code === 'EADDRINUSE' ? `port ${port} is taken (EADDRINUSE): --port takes another` : `--port, --host: ${message}`,
        ),
      );
    });
    server.listen(port, host, resolve);
  });

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  merchants: readonly CallbackMerchant[],
  output: Output,
): Promise<void> => {
  const read = await readBody(request, (result) =>
    Promise.resolve({ kind: result.kind, text: result.kind === 'read' ? Buffer.from(result.body).toString('utf8') : '' }),
  );
  if (read.kind === 'aborted') return;
  const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
  const { method = '' } = request;
  const isMethod = method === 'GET' || method === 'POST';
  const headerOf = (name: string) => (typeof request.headers[name] === 'string' ? { [name]: request.headers[name] } : {});
  const headers = { ...headerOf('webhook-id'), ...headerOf('webhook-timestamp'), ...headerOf('webhook-signature') };
  const contentType = request.headers['content-type'] ?? '';
  const checked = isMethod
    ? checkCallback({ method, query, contentType, body: read.text, headers }, merchants, systemClock.now())
    : undefined;
  const isGood = checked?.merchant !== undefined && checked.signature !== 'wrong';
  response.writeHead(checked === undefined ? 400 : isGood ? 200 : 403).end();
  show({ method, path, webhookId: headers['webhook-id'] ?? '', checked, isGood }, output);
};

interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly webhookId: string;
  readonly checked: CheckedCallback | undefined;
  readonly isGood: boolean;
}

const verdictOf = ({ checked }: ReceivedRequest): string => {
  if (checked === undefined) return 'no callback: answered 400';
  if (checked.merchant === undefined) return 'control is of no key in the configuration: answered 403';
  if (checked.signature === 'wrong') return `control is good, of ${checked.merchant}; the webhook-signature is not: answered 403`;
  return `control is good, of ${checked.merchant}${checked.signature === 'good' ? ', and so is the webhook-signature' : ''}: answered 200`;
};

const show = (request: ReceivedRequest, output: Output): void => {
  const { method, path, webhookId, checked, isGood } = request;
  const at = new Date(systemClock.now()).toISOString();
  if (output.isJson) {
    const { merchant = null, signature = null, members = new Map<string, string>() } = checked ?? {};
    output.line(
      asJson({ kind: 'callback', at, method, path, webhookId, isGood, merchant, signature, members: Object.fromEntries(members) }),
    );
    return;
  }
  const head = `${method} ${shortened(path, VALUE_SHOWN_MAX)}${webhookId === '' ? '' : `, webhook-id ${shortened(webhookId, VALUE_SHOWN_MAX)}`}`;
  output.line(`${output.paint('faint', at)}  ${output.paint('strong', head)}`);
  output.line(`  ${output.paint(isGood ? 'good' : 'bad', verdictOf(request))}`);
  for (const [name, value] of checked?.members ?? []) {
    output.line(`  ${output.paint('faint', printable(name))}  ${shortened(value, VALUE_SHOWN_MAX)}`);
  }
};

export const addListenCommand = (program: Command, { output }: CommandContext): void => {
  program
    .command('listen')
    .description(
      'receive callbacks like a merchant’s server: check control and webhook-signature with the keys in the configuration, and print them',
    )
    .option('--port <number>', 'the port; 0 for any free one', '8081')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .action((options: ListenOptions) => listen(options, output()));
};
