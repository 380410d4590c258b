import type { KeyObject } from 'node:crypto';
import { encodeForm, type ControlKey } from '@app/gateway-protocol';
import { controlFor, GROUP_A_ROUTES, type GroupARoute } from '../merchants/group-a-routes';
import { faultyAuthorization, wellFormedAuthorization } from './authorization-faults';
import { faultyBody, formBody, type WireBody } from './body-faults';
import { Dice } from './dice';
import type { FuzzedRequest } from './fuzz-run';
import { faultyHead, wireText, type WireHead } from './header-faults';
import { hostileText } from './hostile-texts';
import { faultyJson, jsonBody } from './json-faults';
import { wellFormedFields, type Known } from './well-formed-fields';

export interface FuzzTarget extends Known {
  readonly baseUrl: string;
  readonly controlKey: ControlKey;
  readonly privateKey: KeyObject;
}

const ENTRY_POINTS = ['1001', '1001', 'group/2001'];
const UNTOUCHED_SHARE = 0.12;
const FAULTS_MAX = 3;
const PAGE_SHARE = 0.02;
/** Most requests are signed after the fault is added, because only those pass the signature check. */
const STALE_SIGNATURE_SHARE = 0.15;
const ABSENT_SHARE = 0.1;

/** Address for a gate's notifications. The service under test has a listening gate of this name. */
const HEARD_AT = '/paynet/gates/heard/';
const CALLBACK = JSON.stringify({
  status: 'approved',
  orderid: 1,
  client_orderid: '01234567-89ab-cdef-0123-456789abcdef',
  type: 'sale',
  control: '0',
});

const OF_NOTHING = 'a'.repeat(52);
const PAGES = [
  '/paynet/view-receipt/1001/abcdefghijklmnopqrstuvwx/',
  `/paynet/payer/p${'A'.repeat(65)}`,
  `/paynet/payer/recurring-${OF_NOTHING}/01234567-89ab-cdef-0123-456789abcdef/return`,
  '/paynet/simulator/authentication/sim-a/01234567-89ab-cdef-0123-456789abcdef',
  `${HEARD_AT}p${'A'.repeat(65)}`,
  `${HEARD_AT}p${'A'.repeat(65)}?status=approved&client_orderid=01234567-89ab-cdef-0123-456789abcdef&control=0`,
  HEARD_AT,
  '/health/ready',
  '/health/live',
  '/paynet/api/v2/refund/1001',
  '/nowhere',
];

const changeFields = (dice: Dice, values: Map<string, string>, route: GroupARoute): string => {
  const name = dice.pick([...values.keys()]);
  if (dice.chance(ABSENT_SHARE)) {
    values.delete(name);
    return `${name}: absent`;
  }
  const { value, what } = hostileText(dice, values.get(name) ?? '', route.fields[name] ?? {});
  values.set(name, value);
  return `${name}: ${what}`;
};

const CONTROL_FAULTS: readonly ((control: string) => string | undefined)[] = [
  () => undefined,
  () => '',
  (control) => control.toUpperCase(),
  (control) => ` ${control} `,
  (control) => control.slice(1),
  (control) => `${control}0`,
  () => '0'.repeat(40),
  () => '\u{1f4b3}'.repeat(20),
  () => 'x'.repeat(10_000),
];

const bodyOfPage = (dice: Dice, isCallback: boolean): WireBody & { readonly what: string } => {
  if (isCallback && dice.chance(0.5)) return faultyJson(dice, CALLBACK);
  if (isCallback && dice.chance(0.5)) return { ...jsonBody(CALLBACK), what: 'a callback' };
  return dice.chance(0.5) ? faultyBody(dice, 'MD=x&PaRes=y&password=hint') : { ...formBody(''), what: 'no body' };
};

const pageRequest = (dice: Dice, host: string): FuzzedRequest => {
  const method = dice.pick(['GET', 'GET', 'POST', 'HEAD', 'PUT']);
  const route = dice.pick(PAGES);
  const body = bodyOfPage(dice, route.startsWith(HEARD_AT));
  const length = String(body.bytes.length);
  const head: WireHead = {
    method,
    path: route,
    version: 'HTTP/1.1',
    headers: [['Host', host], ['Content-Length', length], ...typeOf(body)],
  };
  const faulty = dice.chance(0.5) ? faultyHead(dice, head) : { head, what: 'as it is' };
  const bytes = Buffer.concat([Buffer.from(wireText(faulty.head), 'latin1'), body.bytes]);
  return { route, method: faulty.head.method, bytes, faults: [body.what, faulty.what] };
};

const typeOf = ({ contentType, encoding }: { readonly contentType: string | undefined; readonly encoding?: string }) => [
  ...(contentType === undefined ? [] : ([['Content-Type', contentType]] as const)),
  ...(encoding === undefined ? [] : ([['Content-Encoding', encoding]] as const)),
];

/** Depends only on the number and the field tables, not on earlier requests, so that one request can be repeated. */
export const fuzzedRequest = (seed: number, number: number, target: FuzzTarget): FuzzedRequest => {
  const dice = new Dice(seed, number);
  const { host } = new URL(target.baseUrl);
  if (dice.chance(PAGE_SHARE)) return pageRequest(dice, host);
  const route = dice.pick(GROUP_A_ROUTES);
  const at = dice.pick(ENTRY_POINTS);
  const path = `/paynet/api/${route.path}/${at}`;
  const values = wellFormedFields(dice, route, target, number);
  const faults: string[] = [];
  const control = (): string | undefined => controlFor(route.name, Object.fromEntries(values), at, target.controlKey);

  let sign = control();
  const headFaults: string[] = [];
  let head: WireHead = { method: 'POST', path, version: 'HTTP/1.1', headers: [['Host', host]] };
  let isBodyFaulty = false;
  let isAuthorizationFaulty = false;
  const rounds = dice.chance(UNTOUCHED_SHARE) ? 0 : 1 + dice.below(FAULTS_MAX);
  for (let round = 0; round < rounds; round++) {
    const die = dice.below(100);
    if (die < 60 && values.size > 0) faults.push(changeFields(dice, values, route));
    else if (die < 72) isBodyFaulty = true;
    else if (die < 78 || (route.isOauth && die < 88)) isAuthorizationFaulty = true;
    else {
      const faulty = faultyHead(dice, head);
      head = faulty.head;
      headFaults.push(faulty.what);
    }
  }
  if (dice.chance(1 - STALE_SIGNATURE_SHARE)) sign = control();
  if (sign !== undefined && isAuthorizationFaulty) {
    sign = dice.pick(CONTROL_FAULTS)(sign);
    faults.push('control');
  }
  if (sign !== undefined) values.set('control', sign);

  const text = encodeForm(values);
  let body: WireBody = formBody(text);
  if (isBodyFaulty) {
    const faulty = faultyBody(dice, text);
    body = faulty;
    faults.push(faulty.what);
  }
  let authorization: readonly string[] = [];
  if (route.isOauth) {
    const { privateKey, login: consumerKey, baseUrl } = target;
    const request = { url: baseUrl + path, parameters: [...values], consumerKey, privateKey };
    const faulty = isAuthorizationFaulty ? faultyAuthorization(dice, request) : undefined;
    authorization = faulty?.headers ?? wellFormedAuthorization(request);
    if (faulty !== undefined) faults.push(`authorization: ${faulty.what}`);
  }
  const headers = [
    ...head.headers,
    ...typeOf(body),
    ...authorization.map((value) => ['Authorization', value] as const),
    ['Content-Length', String(body.bytes.length)] as const,
  ];
  const bytes = Buffer.concat([Buffer.from(wireText({ ...head, headers }), 'latin1'), body.bytes]);
  return { route: route.path, method: head.method, bytes, faults: [...faults, ...headFaults] };
};
