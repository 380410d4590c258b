import { Dice } from './dice';
import type { FuzzedRequest } from './fuzz-run';
import { faultyHead, wireText, type WireHead } from './header-faults';
import { formBody, faultyBody } from './body-faults';
import { changeMember, faultyJson, jsonBody, type JsonObject } from './json-faults';

export type OperatorSide = 'operator port' | 'public port' | "merchant server's operator port";

export interface OperatorFuzzTarget {
  readonly hosts: Readonly<Record<OperatorSide, string>>;
  readonly operator: string;
  readonly viewer: string;
  readonly orderIds: readonly string[];
  readonly deliveryIds: readonly string[];
  readonly streams: readonly string[];
  readonly searched: readonly string[];
  readonly pages: Readonly<Record<'payer link' | 'payer return' | 'simulator page' | 'receipt', readonly string[]>>;
}

interface OperatorRoute {
  readonly name: string;
  readonly side: OperatorSide;
  readonly method: 'GET' | 'POST';
  readonly isGuarded: boolean;
  readonly path: (dice: Dice, target: OperatorFuzzTarget) => string;
  readonly body?: (dice: Dice) => JsonObject;
  readonly isForm?: true;
}

const UNTOUCHED_SHARE = 0.15;
const FAULTS_MAX = 3;
const NO_TOKEN_SHARE = 0.1;
const VIEWER_SHARE = 0.1;
const OTHER_ID_SHARE = 0.3;
const REASON = 'The merchant asks for it';

const UNKNOWN_IDS = [
  ...['pzzzzzzzzzzzzzzr', 'x', '0', '%00', '%2f', '%2e%2e', '%', '%zz', '%ff', '__proto__', 'constructor', "'%20OR%201=1--"],
  ...['%F0%9F%92%B3', 'a'.repeat(2_000), `payment-${'a'.repeat(52)}`, '$all', '$ce-payment', '-', '%0d%0aX:%20y', '..%2f..%2fetc'],
];
const SEARCHES = [
  '',
  '%',
  '%ff',
  '%00',
  'a'.repeat(257),
  'x&q=y',
  'x&after=nothing',
  'x&after=',
  '4444333322221111',
  '%27;--',
  '%F0%9F%92%B3',
];

const id = (dice: Dice, known: readonly string[]): string =>
  dice.chance(OTHER_ID_SHARE) ? dice.pick(UNKNOWN_IDS) : encodeURIComponent(dice.pick(known));
const query = (dice: Dice): string => dice.pick(['', '', '', '?', '?a=1', '?__proto__=1', '?%']);

const MOMENTS = [
  'atVersion=0',
  'atVersion=-1',
  'atVersion=99999999999',
  'knownAt=2026-05-03T12:00Z',
  'knownAt=noon',
  'trueAt=%ff',
  'limit=0',
];
const moment = (dice: Dice): string => (dice.chance(OTHER_ID_SHARE) ? query(dice) : `?${dice.pick(MOMENTS)}`);

const onOperatorPort = (
  name: string,
  path: OperatorRoute['path'],
  { body, isGuarded = true }: { readonly body?: OperatorRoute['body']; readonly isGuarded?: boolean } = {},
): OperatorRoute => ({
  name,
  side: 'operator port',
  method: body === undefined ? 'GET' : 'POST',
  isGuarded,
  path,
  ...(body !== undefined && { body }),
});
const open = (side: OperatorSide, name: string, path: OperatorRoute['path']): OperatorRoute => ({
  name,
  side,
  method: 'GET',
  isGuarded: false,
  path,
});

const reasoned = (): JsonObject => ({ reason: REASON, actor: 'kim' });
const resolution = (dice: Dice): JsonObject => ({
  ...reasoned(),
  as: dice.pick(['approved', 'declined']),
  ...(dice.chance(0.3) && { merchant: dice.pick(['acme', 'other']) }),
  ...(dice.chance(0.3) && { followUp: 1 + dice.below(3) }),
});
const DOCUMENTS = [
  ...['group-a.json', 'group-b.json', 'operator.json', 'merchant-server.json', 'swagger-ui.css', 'documents.js'],
  ...['..%2fpackage.json', '%2e%2e', 'x', '%00', '__proto__'],
];

export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  onOperatorPort('unknown', (dice) => `/orders/unknown${query(dice)}`),
  onOperatorPort('find', (dice, { searched }) => {
    const text = dice.chance(OTHER_ID_SHARE) ? dice.pick(SEARCHES) : encodeURIComponent(dice.pick(searched));
    return `/orders/find?q=${text}`;
  }),
  onOperatorPort('order', (dice, { orderIds }) => `/orders/${id(dice, orderIds)}${query(dice)}`),
  onOperatorPort('deliveries', (dice, { orderIds }) => `/orders/${id(dice, orderIds)}/deliveries${query(dice)}`),
  onOperatorPort('state', (dice, { orderIds }) => `/audit/orders/${id(dice, orderIds)}/state${moment(dice)}`),
  onOperatorPort('diff', (dice, { orderIds }) => `/audit/orders/${id(dice, orderIds)}/diff?from=0&to=${dice.pick(['0', '9', 'x', '%'])}`),
  onOperatorPort(
    'why',
    (dice, { orderIds }) => `/audit/orders/${id(dice, orderIds)}/why?field=${dice.pick(['status', '__proto__', '%5B', ''])}`,
  ),
  onOperatorPort('unknown then', (dice) => `/audit/orders/unknown${moment(dice)}`),
  onOperatorPort('resolution', (dice, { orderIds }) => `/orders/${id(dice, orderIds)}/resolution`, { body: resolution }),
  onOperatorPort('resend', (dice, { deliveryIds }) => `/deliveries/${id(dice, deliveryIds)}/resend`, { body: reasoned }),
  onOperatorPort('unparking', (dice, { streams }) => `/streams/${id(dice, streams)}/unparking`, { body: reasoned }),
  ...['/metrics', '/health/live', '/health/ready', '/docs'].map((path) =>
    onOperatorPort(path, (dice) => path + query(dice), { isGuarded: false }),
  ),
  onOperatorPort('/docs/:file', (dice) => `/docs/${dice.pick(DOCUMENTS)}${query(dice)}`, { isGuarded: false }),
  ...['/metrics', '/health/live', '/health/ready'].map((path) =>
    open("merchant server's operator port", `server ${path}`, (dice) => path + query(dice)),
  ),
  ...(['payer link', 'simulator page', 'receipt'] as const).map((name) =>
    open('public port', name, (dice, { pages }) => dice.pick(pages[name]) + query(dice)),
  ),
  open('public port', 'public /docs', (dice) => `/paynet/docs${query(dice)}`),
  open('public port', 'public /docs/:file', (dice) => `/paynet/docs/${dice.pick(DOCUMENTS)}${query(dice)}`),
  { ...open('public port', 'payer return', (dice, { pages }) => dice.pick(pages['payer return']) + query(dice)), isForm: true },
];

const authorizationOf = (dice: Dice, { operator, viewer }: OperatorFuzzTarget): readonly (readonly [string, string])[] => {
  if (dice.chance(NO_TOKEN_SHARE)) {
    const broken = ['', 'Bearer', `${operator}x`, operator.slice(0, -1), `Basic ${operator}`, `Bearer ${'x'.repeat(257)}`];
    return dice.chance(0.3) ? [] : [['Authorization', dice.pick(broken)]];
  }
  return [['Authorization', dice.chance(VIEWER_SHARE) ? viewer : operator]];
};

const bodyOf = (dice: Dice, { body, isForm }: OperatorRoute, isFaulty: boolean) => {
  if (isForm === true && dice.chance(0.5)) {
    const text = 'MD=x&PaRes=y&password=secret';
    return isFaulty ? { method: 'POST', ...faultyBody(dice, text) } : { method: 'POST', ...formBody(text), what: 'a form' };
  }
  if (body === undefined) return undefined;
  const message = body(dice);
  const changed = isFaulty && dice.chance(0.6) ? changeMember(dice, message) : undefined;
  const text = JSON.stringify(message);
  return isFaulty && changed === undefined
    ? { method: 'POST', ...faultyJson(dice, text) }
    : { method: 'POST', ...jsonBody(text), what: changed ?? 'as it is' };
};

/** Depends only on the number and the routes, not on earlier requests, so that one request can be repeated. */
export const fuzzedOperatorRequest =
  (side: OperatorSide, seed: number, target: OperatorFuzzTarget) =>
  (number: number): FuzzedRequest => {
    const dice = new Dice(seed, number);
    const route = dice.pick(OPERATOR_ROUTES.filter((one) => one.side === side));
    const path = route.path(dice, target);
    const isUntouched = dice.chance(UNTOUCHED_SHARE);
    const body = bodyOf(dice, route, !isUntouched && dice.chance(0.5));
    const authorization = route.isGuarded ? authorizationOf(dice, target) : [];
    let head: WireHead = {
      method: body?.method ?? route.method,
      path,
      version: 'HTTP/1.1',
      headers: [['Host', target.hosts[side]], ...authorization],
    };
    const faults: string[] = [path, ...(body === undefined ? [] : [body.what])];
    const rounds = isUntouched || dice.chance(0.5) ? 0 : 1 + dice.below(FAULTS_MAX);
    for (let round = 0; round < rounds; round++) {
      const faulty = faultyHead(dice, head);
      head = faulty.head;
      faults.push(faulty.what);
    }
    const { bytes = Buffer.alloc(0), contentType = undefined } = body ?? {};
    const encoding = body !== undefined && 'encoding' in body ? body.encoding : undefined;
    const headers = [
      ...head.headers,
      ...(contentType === undefined ? [] : [['Content-Type', contentType] as const]),
      ...(encoding === undefined ? [] : [['Content-Encoding', encoding] as const]),
      ['Content-Length', String(bytes.length)] as const,
    ];
    const wire = Buffer.concat([Buffer.from(wireText({ ...head, headers }), 'latin1'), bytes]);
    return { route: route.name, method: head.method, bytes: wire, faults };
  };
