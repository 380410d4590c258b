import {
  callbackControl,
  gatewayPath,
  MERCHANT_ROUTES,
  merchantPath,
  paymentSignature,
  verificationSignature,
  webhookHeaders,
  type ControlKey,
  type DeviceOperation,
} from '@app/gateway-protocol';
import { systemClock, type Secret } from '@app/kernel';
import { sampleOf } from '@app/gateway-protocol/testing';
import type { Begun } from '../devices/merchant-server-client';
import { Dice } from './dice';
import type { FuzzedRequest } from './fuzz-run';
import { faultyHead, wireText, type WireHead } from './header-faults';
import { changeMember, faultyJson, jsonBody, type JsonObject } from './json-faults';

interface Known {
  readonly operation: DeviceOperation;
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly token: string;
}

export interface DeviceFuzzTarget {
  readonly baseUrls: Readonly<Record<'gateway' | 'server', string>>;
  readonly controlKey: ControlKey;
  readonly callbackSecret: Secret<string>;
  readonly accessToken: string;
  readonly serialNumber: string;
  readonly transactions: readonly Known[];
  readonly invoices: readonly Begun[];
}

interface Whole {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  readonly sign?: (body: JsonObject) => void;
  /** True if the headers sign the bytes that are sent. */
  readonly isWebhook?: true;
}

interface DeviceRoute {
  readonly name: string;
  readonly side: 'gateway' | 'server';
  readonly make: (dice: Dice, target: DeviceFuzzTarget) => Whole;
}

const OPERATIONS: readonly DeviceOperation[] = ['verification', 'sale', 'transfer'];
const NAME_OF = { verification: 'Verification', sale: 'Sale', transfer: 'Transfer' } as const;
const EMAIL = 'kim@example.com';
const UNTOUCHED_SHARE = 0.12;
const FAULTS_MAX = 3;
/** Most requests are signed after the fault is added, because only those pass the signature check. */
const STALE_SIGNATURE_SHARE = 0.15;
const INVOICE_AGAIN_SHARE = 0.1;

const member = (body: JsonObject, name: string): JsonObject => {
  const inner = body[name];
  return typeof inner === 'object' && inner !== null ? (inner as JsonObject) : {};
};
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const put = (body: JsonObject, name: string, more: JsonObject): void => {
  body[name] = { ...member(body, name), ...more };
};

const withApp = (sample: Parameters<typeof sampleOf>[0], { accessToken, serialNumber }: DeviceFuzzTarget): JsonObject => {
  const body = sampleOf(sample) as JsonObject;
  put(body, 'consumer', { device: { ...member(member(body, 'consumer'), 'device'), serialNumber } });
  put(body, 'session', { accessToken });
  return body;
};

const perform = (operation: DeviceOperation): DeviceRoute => ({
  name: `perform ${operation}`,
  side: 'gateway',
  make: (dice, target) => {
    const body = withApp(`Perform${NAME_OF[operation]}Request`, target);
    put(body, 'consumer', { email: EMAIL });
    put(body, 'transaction', { currency: 'USD' });
    put(body, 'session', { nonce: dice.bytes(32).toString('hex') });
    const known = dice.pick(target.transactions);
    const endpointId = operation === 'transfer' ? '1004' : '1001';
    const invoiceId = dice.chance(INVOICE_AGAIN_SHARE) ? known.invoiceId : dice.bytes(16).toString('hex');
    const sign = (sent: JsonObject): void => {
      const { accessToken, nonce } = member(sent, 'session');
      const { currency, amountCentis } = member(sent, 'transaction');
      const { serialNumber } = member(member(sent, 'consumer'), 'device');
      const signed = {
        accessToken: text(accessToken),
        serialNumber: text(serialNumber),
        endpointId,
        nonce: text(nonce),
        invoiceId,
        currency: text(currency),
      };
      const isAmount = Number.isSafeInteger(amountCentis) && Number(amountCentis) >= 0;
      const signature =
        operation === 'verification'
          ? verificationSignature(signed, target.controlKey)
          : paymentSignature({ ...signed, amountCentis: isAmount ? Number(amountCentis) : 0 }, target.controlKey);
      put(sent, 'session', { signature });
    };
    return { method: 'POST', path: `/paynet/${gatewayPath.perform(operation, { endpointId, invoiceId })}`, body, sign };
  },
});

const status = (operation: DeviceOperation): DeviceRoute => ({
  name: `status ${operation}`,
  side: 'gateway',
  make: (dice, { accessToken, transactions }) => {
    const known = dice.pick(transactions.filter((transaction) => transaction.operation === operation));
    return {
      method: 'POST',
      path: `/paynet/${gatewayPath.status(operation, known)}`,
      body: { session: { accessToken, token: known.token } },
    };
  },
});

const complete: DeviceRoute = {
  name: 'complete transfer',
  side: 'gateway',
  make: (dice, { accessToken, transactions }) => {
    const known = dice.pick(transactions.filter(({ operation }) => operation === 'transfer'));
    const assignedId = dice.pick(['sim-a', 'sim-b', 'sim-3ds', 'x'.repeat(64), 'constructor']);
    return {
      method: 'POST',
      path: `/paynet/${gatewayPath.complete(known, assignedId)}`,
      body: { session: { accessToken, token: known.token } },
    };
  },
};

const initiate = (operation: DeviceOperation): DeviceRoute => ({
  name: `initiate ${operation}`,
  side: 'server',
  make: (dice, target) => {
    const body = withApp(`Initiate${NAME_OF[operation]}Request`, target);
    put(body, 'transaction', { currency: 'USD' });
    return { method: 'POST', path: `/${dice.pick(MERCHANT_ROUTES.initiate[operation])}`, body };
  },
});

const check = (operation: DeviceOperation): DeviceRoute => ({
  name: `check ${operation}`,
  side: 'server',
  make: (dice, target) => {
    const invoice = dice.pick(target.invoices.filter((one) => one.operation === operation));
    const { nonce, signature, token } = invoice;
    const body: JsonObject = {
      consumer: { device: { serialNumber: target.serialNumber } },
      session: { accessToken: target.accessToken, nonce, signature, token },
      ...(dice.chance(0.2) && { sourceOfFunds: { reference: { clientCardId: 'c-1' } } }),
    };
    return { method: 'POST', path: `/${merchantPath.check(operation, invoice.invoiceId)}`, body };
  },
});

const notification = (operation: DeviceOperation): DeviceRoute => ({
  name: `notification ${operation}`,
  side: 'server',
  make: (dice, target) => {
    const { invoiceId, nonce, token } = dice.pick(target.invoices.filter((one) => one.operation === operation));
    const body = withApp(`${NAME_OF[operation]}Notification`, target);
    put(body, 'session', { nonce, token });
    const path = dice.pick(MERCHANT_ROUTES.notification[operation]).replace(':invoiceId', invoiceId);
    return { method: 'POST', path: `/${path}`, body, isWebhook: true };
  },
});

const REST: readonly DeviceRoute[] = [
  complete,
  {
    name: 'access token',
    side: 'server',
    make: (dice) => ({
      method: 'GET',
      path: `/${merchantPath.accessToken()}${dice.pick(['', '?email=a%40b.example', '?email=', '?email=%ff', '?email=a&email=b'])}`,
    }),
  },
  {
    name: 'client ids',
    side: 'server',
    make: (dice, target) => {
      const { invoiceId } = dice.pick(target.invoices);
      return { method: 'POST', path: `/${merchantPath.clientIds(invoiceId)}`, body: withApp('ClientIdsRequest', target) };
    },
  },
  {
    name: 'random sum',
    side: 'server',
    make: (dice, target) => {
      const { invoiceId } = dice.pick(target.invoices);
      return { method: 'POST', path: `/${merchantPath.randomSum(invoiceId)}`, body: withApp('RandomSumRequest', target) };
    },
  },
  {
    name: 'callback',
    side: 'server',
    make: (dice, { invoices, controlKey }) => {
      const { invoiceId } = dice.pick(invoices);
      const told = { status: 'approved', orderid: `t${dice.bytes(7).toString('hex')}`, client_orderid: invoiceId };
      const sign = (sent: JsonObject): void => {
        const named = { status: text(sent['status']), orderId: text(sent['orderid']), clientOrderId: text(sent['client_orderid']) };
        sent['control'] = callbackControl(named, controlKey);
      };
      return {
        method: 'POST',
        path: `/${MERCHANT_ROUTES.callback[0]}`,
        body: { ...told, merchant_order: invoiceId, amount: '10.42' },
        sign,
      };
    },
  },
];

/**
 * Every route of Group B that an app or a gateway calls, at either server (interface, sections 4.2 and 4.3; protocol decisions, section 8).
 */
export const DEVICE_ROUTES: readonly DeviceRoute[] = [
  ...[perform, status, initiate, check, notification].flatMap((route) => OPERATIONS.map((operation) => route(operation))),
  ...REST,
];

/** Depends only on the number and the interface, not on earlier requests, so that one request can be repeated. */
export const fuzzedDeviceRequest =
  (side: DeviceRoute['side'], seed: number, target: DeviceFuzzTarget) =>
  (number: number): FuzzedRequest => {
    const dice = new Dice(seed, number);
    const route = dice.pick(DEVICE_ROUTES.filter((one) => one.side === side));
    const { method, path, body, sign, isWebhook } = route.make(dice, target);
    const faults: string[] = [];
    let head: WireHead = { method, path, version: 'HTTP/1.1', headers: [['Host', new URL(target.baseUrls[side]).host]] };
    let isBodyFaulty = false;
    if (body !== undefined) sign?.(body);
    const rounds = dice.chance(UNTOUCHED_SHARE) ? 0 : 1 + dice.below(FAULTS_MAX);
    for (let round = 0; round < rounds; round++) {
      const die = dice.below(100);
      if (die < 65 && body !== undefined && Object.keys(body).length > 0) faults.push(changeMember(dice, body));
      else if (die < 85 && body !== undefined) isBodyFaulty = true;
      else {
        const faulty = faultyHead(dice, head);
        head = faulty.head;
        faults.push(faulty.what);
      }
    }
    if (body !== undefined && sign !== undefined && dice.chance(1 - STALE_SIGNATURE_SHARE)) sign(body);
    const sent = body === undefined ? '' : JSON.stringify(body);
    const wire = isBodyFaulty ? faultyJson(dice, sent) : { ...jsonBody(sent), what: undefined, encoding: undefined };
    if (wire.what !== undefined) faults.push(wire.what);
    const isStale = isWebhook === true && dice.chance(STALE_SIGNATURE_SHARE);
    const signedText = isStale ? '' : wire.bytes.toString();
    const webhook = isWebhook ? Object.entries(webhookHeaders(`fuzz-${number}`, systemClock.now(), signedText, target.callbackSecret)) : [];
    const headers = [
      ...head.headers,
      ...webhook,
      ...(wire.contentType === undefined ? [] : [['Content-Type', wire.contentType] as const]),
      ...(wire.encoding === undefined ? [] : [['Content-Encoding', wire.encoding] as const]),
      ['Content-Length', String(wire.bytes.length)] as const,
    ];
    const bytes = Buffer.concat([Buffer.from(wireText({ ...head, headers }), 'latin1'), wire.bytes]);
    return { route: route.name, method: head.method, bytes, faults };
  };
