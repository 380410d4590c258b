import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';
import {
  DEVICE_OPERATIONS,
  fieldsOf,
  Form,
  readDeviceMessage,
  SessionRequest,
  validateMessage,
  type JsonSchema,
} from '@app/gateway-protocol';
import { makeDocuments } from './documents';
import { DOCUMENTED_PATHS } from './group-a.paths';
import type { OpenApi, Operation } from './open-api';

const documents = makeDocuments({ gateway: 'http://127.0.0.1:8080/paynet', operator: 'http://127.0.0.1:8082' });
const named = (file: string): OpenApi => JSON.parse(documents.files.get(file) ?? '') as OpenApi;
const FILES = ['group-a.json', 'group-b.json', 'operator.json'] as const;

const operationsOf = (document: OpenApi): readonly (readonly [path: string, operation: Operation])[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation): readonly [string, Operation] => [path, operation]),
  );
const refsIn = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(refsIn)];
};
const compiled = ({ components }: OpenApi, name: string) => {
  const ajv = new Ajv2020({ strict: true, formats: { email: true, uri: true, 'date-time': true }, allowUnionTypes: true });
  const $defs = JSON.parse(JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/')) as object;
  return ajv.compile({ $defs, $ref: `#/$defs/${name}` });
};

describe.each(FILES)('%s', (file) => {
  const document = named(file);

  it('has the members of OpenAPI 3.1, each reference leads somewhere, and nothing stands there for nobody', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: expect.any(String), version: '1' },
      servers: [{ url: expect.stringMatching(/^http/) }],
    });
    const refs = new Set(refsIn(document.paths).concat(refsIn(document.components)));
    const names = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...refs].filter((ref) => !names.includes(ref))).toStrictEqual([]);
    expect(names.filter((name) => !refs.has(name))).toStrictEqual([]);
  });

  it('names each operation once, answers it, and declares exactly the parameters of its path', () => {
    const operations = operationsOf(document);
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [path, { parameters = [], responses, summary }] of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect([path, inPath]).toStrictEqual([path, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)]);
      expect(parameters.every(({ required, in: place }) => place !== 'path' || required)).toBe(true);
      expect(Object.keys(responses).length).toBeGreaterThan(0);
      expect(summary).not.toBe('');
    }
  });

  it('holds schemas that a validator takes', () => {
    for (const name of Object.keys(document.components.schemas)) expect(() => compiled(document, name)).not.toThrow();
  });
});

describe('group-a.json', () => {
  const document = named('group-a.json');

  it('has every path by endpoint and by group, with the fields of its message class in their order', () => {
    for (const [path, { message }] of Object.entries(DOCUMENTED_PATHS)) {
      for (const at of ['{endpointId}', 'group/{groupId}']) {
        const body =
          document.paths[`/api/${path}/${at}`]?.post?.requestBody?.content['application/x-www-form-urlencoded']?.schema.$ref ?? '';
        const schema = document.components.schemas[body.slice('#/components/schemas/'.length)];
        expect(Object.keys(schema?.properties ?? {})).toStrictEqual(fieldsOf(message).map(({ name }) => name));
      }
    }
  });

  it('asks for the fields of a sale that are mandatory, and for no other (decisions, section 10)', () => {
    const { required, properties } = document.components.schemas['V2SaleRequest'] as JsonSchema;
    expect(required).toEqual(expect.arrayContaining(['client_orderid', 'amount', 'currency', 'credit_card_number', 'phone', 'control']));
    for (const name of ['first_name', 'state', 'merchant_data', 'server_callback_url', 'ssn']) expect(required).not.toContain(name);
    expect(properties).toMatchObject({
      client_orderid: { type: 'string', maxLength: 128 },
      order_desc: { maxLength: 65_536 },
      amount: { maxLength: 16 },
      phone: { maxLength: 15 },
      server_callback_url: { maxLength: 1_024, format: 'uri' },
    });
  });

  it('lets through what the service lets through, field by field', () => {
    const validate = compiled(document, 'V2GetCardInfoRequest');
    const { message } = DOCUMENTED_PATHS['v2/get-card-info'] ?? {};
    if (message === undefined) throw new Error('get-card-info is not documented');
    const text = fc.oneof(
      fc.string({ maxLength: 140 }),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom('a', 'a\n', 'x'.repeat(20), 'x'.repeat(21)),
    );
    const trimmed = text.map((value) => Form.of([['x', value]]).text('x')).filter((value) => value !== '' && !value.includes('\0'));
    fc.assert(
      fc.property(fc.record({ login: trimmed, cardrefid: trimmed, control: trimmed }), (fields) => {
        const isTaken = 'ok' in validateMessage(message, Form.of(Object.entries(fields)));
        expect([fields, validate(fields)]).toStrictEqual([fields, isTaken]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('group-b.json', () => {
  const document = named('group-b.json');

  it('has the seven operations of the interface, section 4.2', () => {
    expect(Object.keys(document.paths)).toStrictEqual([
      ...DEVICE_OPERATIONS.flatMap((operation) => [
        `/dapi/v1/${operation}/{endpointId}/{invoiceId}`,
        `/dapi/v1/${operation}/{endpointId}/{invoiceId}/status`,
      ]),
      '/dapi/v1/transfer/{endpointId}/{invoiceId}/{assignedId}',
    ]);
  });

  it('lets through what the service lets through', () => {
    const validate = compiled(document, 'Session');
    const text = fc.oneof(fc.string({ maxLength: 140 }), fc.constantFrom('x'.repeat(32), 'x'.repeat(128), 'x'.repeat(129), 'x'.repeat(16)));
    const wellFormed = text.filter((value) => !value.includes('\0'));
    fc.assert(
      fc.property(wellFormed, wellFormed, (accessToken, token) => {
        const body = { session: { accessToken, token } };
        expect([body, validate(body)]).toStrictEqual([body, 'ok' in readDeviceMessage(SessionRequest, body)]);
      }),
    );
  });
});

describe('operator.json', () => {
  const document = named('operator.json');

  it('lets through the actions that the port takes, and no other', () => {
    const validate = compiled(document, 'Settlement');
    const action = { as: 'approved', reason: 'The acquirer says so', actor: 'kim' };
    expect(validate(action)).toBe(true);
    expect(validate({ ...action, merchant: 'acme' })).toBe(true);
    for (const wrong of [
      { as: 'maybe' },
      { reason: '' },
      { actor: '7kim' },
      { actor: 'k123456789012' },
      { force: true },
      { merchant: '' },
    ]) {
      expect([wrong, validate({ ...action, ...wrong })]).toStrictEqual([wrong, false]);
    }
    expect(validate({ as: 'approved' })).toBe(false);
    expect(validate({ as: 'approved', reason: 'x' })).toBe(true);
  });

  it('says of every path but health and metrics which role may ask for it, and that a token tells', () => {
    const open = ['/health/live', '/health/ready', '/metrics'];
    for (const [path, operation] of operationsOf(document)) {
      const { security, description, responses } = operation as unknown as Readonly<Record<string, object>>;
      expect([path, security]).toStrictEqual([path, open.includes(path) ? undefined : [{ operator: [] }]]);
      if (open.includes(path)) continue;
      expect([path, Object.keys(responses ?? {})]).toStrictEqual([path, expect.arrayContaining(['401', '403'])]);
      expect(description).toMatch(/^For the role (viewer|investigator|operator)/);
    }
  });
});

describe('the page', () => {
  it('shows every operation, and holds no script', () => {
    for (const file of FILES) {
      for (const [path] of operationsOf(named(file))) expect(documents.page).toContain(path);
    }
    expect(documents.page).not.toMatch(/<script|\son\w+=/i);
    expect(documents.policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
  });
});
