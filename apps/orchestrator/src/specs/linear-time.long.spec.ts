import 'reflect-metadata';
import { Writable } from 'node:stream';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { isLuhnValid, parseAmount, Secret, systemClock, withPlainDigits, type Instant } from '@app/kernel';
import { looksLikeCardNumber, looksLikeCardNumberInReference } from '@app/event-store';
import { UpstreamCallbacks } from '@app/gateway-adapters/paynet';
import * as protocol from '@app/gateway-protocol';
import { encodeForm, Form } from '@app/gateway-protocol';
import { BODY_NAMES, classOf, sampleOf } from '@app/gateway-protocol/testing';
import { ServiceLog } from '@app/http/server';
import { HOSTILE_ALPHABETS, timesPerDoubling } from '@app/testing';
import { isInvoiceId } from '@app/http/group-b';
import { decodePayerLink } from '@app/orders/http';
import { readInbound } from '../gates/inbound.controller';

/** Twice the input takes twice the time if linear and four times if quadratic; three allows for noise. */
const TIMES_MAX = 3;
const LENGTH = 16_384;

type Reader = (text: string) => unknown;

const key = new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20');
const webhookSecret = new Secret(`whsec_${Buffer.alloc(32).toString('base64')}`);
const log = new ServiceLog('info', new Writable({ write: (_chunk, _encoding, done) => done() }));
const CARD_NUMBER = '4444333322221111';

const FORMS = [...new Set(protocol.GROUP_A_KEYS.map((key) => protocol.GROUP_A_OPERATIONS[key].message))];

const formsReadAs = (Message: (typeof FORMS)[number]): readonly (readonly [string, Reader])[] => {
  const fields = protocol.fieldsOf(Message).map(({ name }) => name);
  const read = (form: Form): unknown => [protocol.validateMessage<object>(Message, form), protocol.readClientOrderId(form)];
  const others = fields.filter((name) => name !== protocol.CARD_NUMBER_FIELD);
  return [
    [`${Message.name}, each field`, (text) => read(Form.of([...fields, protocol.CARD_NUMBER_FIELD].map((name) => [name, text.slice(0, text.length / 8)])))],
    [`${Message.name} beside a card number`, (text) => read(Form.of([...others.map((name) => [name, text.slice(0, text.length / 8)] as const), [protocol.CARD_NUMBER_FIELD, CARD_NUMBER]]))],
  ]; // prettier-ignore
};

const withTexts = (json: unknown, text: string): unknown => {
  if (typeof json === 'string') return text;
  if (Array.isArray(json)) return json.map((entry) => withTexts(entry, text));
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, withTexts(value, text)]));
};
const messagesReadAs = (name: (typeof BODY_NAMES)[number]): readonly [string, Reader] => [
  name,
  (text) => protocol.readDeviceMessage(classOf(name), withTexts(sampleOf(name), text.slice(0, text.length / 8))),
];

const signed = { login: '', clientOrderId: '', orderId: '', entryPoint: '', cardRefId: '', currency: '', email: '', amountMinor: 1n };
const headers = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': 'v1,a' };
const invoiced = { nonce: 'n', endpointId: '1', invoiceId: 'i', serialNumber: 's', accessToken: 'a', currency: 'EUR' };

const socket = new Socket();
const inboundOf = ({ query = '', type = 'application/json', segments = [] as readonly string[], body = '' }): unknown => {
  const message = Object.assign(new IncomingMessage(socket), { url: `/gates/a?${query}`, method: 'POST' });
  Object.assign(message.headers, { 'content-type': type });
  return readInbound(message, segments, Buffer.from(body));
};

const callbackProof = { controlKey: key };
const callbacks = new UpstreamCallbacks(callbackProof, systemClock, {});
const signedCallbacks = new UpstreamCallbacks({ ...callbackProof, secret: webhookSecret }, systemClock, {});
const heardBy = (listening: UpstreamCallbacks, text: string): unknown => {
  const members = { status: text, orderid: text, client_orderid: text, type: 'sale', control: text, [text]: text };
  const request = { path: [], rawQuery: text, headers: new Map([...Object.entries(headers), ['webhook-signature', text] as const]) };
  return [
    listening.listen({ ...request, method: 'POST', query: new Map(), contentType: 'application/json', body: JSON.stringify(members) }),
    listening.listen({ ...request, method: 'GET', query: new Map(Object.entries(members)), contentType: '', body: '' }),
  ];
};

const READERS: Readonly<Record<string, Reader>> = {
  'parseForm of bytes': (text) => protocol.parseForm(Buffer.from(text)),
  'parseForm of a value': (text) => protocol.parseForm(Buffer.from(`credit_card_number=${text}`)),
  'parseForm of an encoded value': (text) => protocol.parseForm(Buffer.from(encodeForm([['a', text]]))),
  'parseForm of many fields': (text) => protocol.parseForm(Buffer.from(text.replace(/.{64}/gsu, (part) => `${part}&`))),
  parseFormAnswer: protocol.parseFormAnswer,
  encodeForm: (text) => encodeForm([[text, text]]),
  writeJsonAnswer: (text) => protocol.writeJsonAnswer([['merchantdata', text]]),
  'Form.text': (text) => Form.of([['a', ` ${text} `]]).text('a'),
  cardNumberIn: (text) => protocol.cardNumberIn(Form.of([['credit_card_number', text]])),
  'holdsCardNumber of a text': (text) => protocol.holdsCardNumber(text, CARD_NUMBER),
  'holdsCardNumber in an escaped text': (text) => protocol.holdsCardNumber(`%${text}`, CARD_NUMBER),
  'holdsCardNumber of a number': (text) => protocol.holdsCardNumber(CARD_NUMBER, text),
  readClientOrderId: (text) => protocol.readClientOrderId(Form.of([['client_orderid', text], ['credit_card_number', text]])), // prettier-ignore
  readAmount: (text) => protocol.readAmount(Form.of([['amount', text]])),
  parseAmount,
  isWebAddress: (text) => protocol.isWebAddress(`https://${text}`),
  isLuhnValid,
  withPlainDigits,
  looksLikeCardNumber,
  looksLikeCardNumberInReference,
  readIdempotencyKey: (text) => protocol.readIdempotencyKey([text]),
  'readIdempotencyKey in quotes': (text) => protocol.readIdempotencyKey([`"${text}"`]),
  contentTypeRefusal: (text) => protocol.contentTypeRefusal(`application/x-www-form-urlencoded;charset=${text}`),
  wantsJson: protocol.wantsJson,
  parseAuthorization: (text) => protocol.parseAuthorization(`OAuth ${text}`),
  'parseAuthorization of a value': (text) => protocol.parseAuthorization(`OAuth oauth_signature="${text}",realm="${text}"`),
  oauthBaseString: (text) => protocol.oauthBaseString({ method: 'POST', url: 'https://a', parameters: [[text, text]] }, []),
  'oauthBaseString of many': (text) =>
    protocol.oauthBaseString(
      { method: 'POST', url: 'https://a', parameters: (text.match(/.{1,64}/gsu) ?? []).map((part) => [part, part]) },
      [],
    ),
  orderControl: (text) => protocol.isControl(protocol.orderControl({ ...signed, clientOrderId: text }, key), text),
  amountFollowUpControl: (text) => protocol.amountFollowUpControl({ ...signed, orderId: text }, signed, key),
  cardInfoControl: (text) => protocol.cardInfoControl({ ...signed, cardRefId: text }, key),
  isRebillControl: (text) => protocol.isRebillControl({ ...signed, currency: text }, text, key, 'either'),
  initialPaymentControl: (text) => protocol.initialPaymentControl({ ...signed, email: text }, key),
  accountVerificationControl: (text) => protocol.accountVerificationControl({ ...signed, clientOrderId: text }, key),
  isSameSecret: (text) => protocol.isSameSecret(text, text),
  isDeviceSignature: (text) => protocol.isDeviceSignature(text, text),
  paymentSignature: (text) => protocol.paymentSignature({ ...invoiced, nonce: text, amountCentis: 1 }, key),
  checkTransferSignature: (text) => protocol.checkTransferSignature({ ...invoiced, sourceServerCardId: text }, key),
  isAmbiguousSignedText: (text) => protocol.isAmbiguousSignedText({ ...invoiced, invoiceId: text }),
  isWebhookAuthentic: (text) => protocol.isWebhookAuthentic({ ...headers, 'webhook-signature': text }, text, webhookSecret, 0 as Instant),
  'readJson of bytes': (text) => protocol.readJson(Buffer.from(text)),
  'readJson of a text': (text) => protocol.readJson(Buffer.from(JSON.stringify({ a: text }))),
  'readJson of a key': (text) => protocol.readJson(Buffer.from(`{${JSON.stringify(text)}:1}`)),
  'readJson of a raw text': (text) => protocol.readJson(Buffer.from(`{"a":"${text}"}`)),
  'readJson of a number': (text) => protocol.readJson(Buffer.from(`[${text.replaceAll(/\D/g, '4')}]`)),
  'readJson of numbers': (text) => protocol.readJson(Buffer.from(`[${text.replaceAll(/\D/g, ',1')}]`)),
  'holdsCardNumberOf a body': (text) => {
    const json = protocol.readJson(Buffer.from(text));
    return protocol.holdsCardNumberOf('ok' in json ? json.ok : { number: text }, '4'.repeat(128));
  },
  'holdsCardNumberOf an invoice id': (text) => protocol.holdsCardNumberOf([{ number: CARD_NUMBER }, { number: CARD_NUMBER }], text),
  isInvoiceId,
  decodePayerLink,
  'readInbound of a query': (text) => inboundOf({ query: text }),
  'readInbound of a content type': (text) => inboundOf({ type: `application/json;charset="${text}"` }),
  'readInbound of a path': (text) => inboundOf({ segments: [text, text] }),
  'a callback of an upstream gateway': (text) => heardBy(callbacks, text),
  'a callback of an upstream gateway, with a secret': (text) => heardBy(signedCallbacks, text),
  'readInbound of a body': (text) => inboundOf({ body: text }),
  escapeHtml: protocol.escapeHtml,
  messagePage: (text) => protocol.messagePage({ title: text, message: text }),
  'a line of the log': (text) => log.info('text', { text }),
  ...Object.fromEntries(FORMS.flatMap(formsReadAs)),
  ...Object.fromEntries(BODY_NAMES.map(messagesReadAs)),
};

/** Quadratic readers, which the measurement must detect. */
const QUADRATIC_READERS: Readonly<Record<string, { readonly read: Reader; readonly length: number }>> = {
  'the removal of separators after normalisation of the whole text': {
    read: (text) => text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, ''),
    length: 8_192,
  },
  'the normalisation of an invoice id for each number of the body': {
    read: (text) => text.match(/.{1,64}/gsu)?.map(() => text.slice().normalize('NFKC')),
    length: 2_048,
  },
  'a search from each character of a text': {
    read: (text) => {
      let sum = 0;
      for (let at = 0; at < text.length; at++) sum += text.slice(at).lastIndexOf('\u0001');
      return sum;
    },
    length: 16_384,
  },
};

const texts = new Map<string, string>();
const textOf =
  (name: string, make: (length: number) => string) =>
  (length: number): string => {
    const known = texts.get(`${name} ${length}`) ?? make(length);
    texts.set(`${name} ${length}`, known);
    return known;
  };

const ALPHABETS = Object.entries(HOSTILE_ALPHABETS);

const growthFound = (read: Reader, length: number): string | undefined => {
  for (const [name, make] of ALPHABETS) {
    const times = timesPerDoubling(textOf(name, make), read, length, TIMES_MAX);
    if (times > TIMES_MAX) return `${name}: ${times.toFixed(1)} times`;
  }
  return undefined;
};

describe('doubling the input at most triples the time', () => {
  it.each(Object.entries(READERS))('of %s', (_name, read) => {
    expect(growthFound(read, LENGTH)).toBeUndefined();
  });

  it.each(Object.entries(QUADRATIC_READERS))(
    'except for a quadratic reader, which the measurement detects: %s',
    (_name, { read, length }) => {
      expect(growthFound(read, length)).toBeDefined();
    },
  );
});
