import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { ApiExcludeController, type OpenAPIObject } from '@nestjs/swagger';
import type { JsonSchema, MessageClass } from '@app/gateway-protocol';
import { OPERATOR_ACTIONS } from '@app/investigation/record';
import { LEAST_ROLES } from '@app/investigation';
import { DocumentsController } from '../../apps/orchestrator/src/documents/documents.controller';
import { ConsoleController } from '../../apps/orchestrator/src/operator/console.controller';
import { OperatorMethodsController } from '../../apps/orchestrator/src/operator/operator-methods.controller';
import { OperatorPortModule } from '../../apps/orchestrator/src/operator/operator-port.module';
import { requestNameOf } from '../../apps/orchestrator/src/operator/operator.guard';
import { Documented, ref, type DocumentedParameter, type DocumentedResponse } from './documented-operation';
import { makeDocument } from './make-document';
import { SourceTypes, type SourceHandler } from './source-types';

const JSON_TYPE = 'application/json';
const QUESTIONS = 'Queries';
const ACTIONS = 'Actions';
const PROCESS = 'Process';
const TEXT: JsonSchema = { type: 'string' };
const EVENTS = 'text/event-stream';
const ZIP = { 'application/zip': { schema: { type: 'string', format: 'binary' } } } as const;

/** A handler with another kind of name in its path describes it in a tag. */
const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  orderId: 'The value that the merchant received.',
  deliveryId: '`<webhook-id>:<target>`, from the order’s deliveries.',
  stream: 'The stream in the log line projection.parked.',
  whatIfId: 'The id from the list of what-ifs.',
  caseId: 'The id from the list of cases.',
  approvalId: 'The id from the list of approvals.',
  alias: 'The alias of the gate.',
  operator: 'The operator’s name.',
  endpointId: 'The id of the entry point.',
  cardRefId: 'The reference from create-card-ref.',
};

/** In headers, because NDJSON and CSV contain only rows. */
const ROW_HEADERS = {
  'Audit-Next': { description: '`cursor` of the next page of a list.', schema: TEXT },
  'Audit-Left-Out': {
    description:
      'Data that the rows do not contain: `references` of a card, `orders` not checked, `events` of the order, `questions` about it.',
    schema: TEXT,
  },
  'Audit-Index': { description: '`missing` or `behind`, if the index of orders lags behind the log.', schema: TEXT },
};

const REFUSED = { content: { [JSON_TYPE]: { schema: ref('Refused') } } };
const refused = (description: string): DocumentedResponse => ({ description, ...REFUSED });
const ADMISSION = { 401: refused('No valid operator token'), 503: refused('A store does not answer') };
const QUESTION = { 400: refused('The query is malformed') };
const BODY = {
  400: refused('A member is missing, misspelt or invalid'),
  413: refused('The body is larger than 16 KiB'),
  415: refused('The body is not JSON'),
};
const NOT_FOUND = { 404: refused('Unknown id') };
const NOT_KNOWN = { 504: refused('It is unknown whether the action took effect') };
const FOREIGN = 'an unknown `Host`, or a request from a browser page';

const tagged = ({ tags }: SourceHandler, wanted: string): readonly string[] =>
  tags.filter(([name]) => name === wanted).map(([, text]) => text);

/** The request class, from the pipe that reads it. */
const messageOf = (controller: Type<object>, method: string): MessageClass | undefined => {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Readonly<
    Record<string, { readonly pipes?: readonly { readonly Message?: MessageClass }[] }>
  >;
  return Object.values(parameters).flatMap(({ pipes = [] }) => pipes.flatMap(({ Message }) => Message ?? []))[0];
};

const pathParametersOf = (path: string, source: SourceHandler): readonly DocumentedParameter[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const [description = PATH_PARAMETERS[name]] = tagged(source, 'param').map((text) => text.slice(text.indexOf(' ') + 1));
    if (description === undefined) throw new Error(`${path}: no description of ${name}`);
    return { name, in: 'path', required: true, description, schema: TEXT };
  });

const queryParametersOf = ({ properties = {}, required = [] }: JsonSchema): readonly DocumentedParameter[] =>
  Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));

/** Descriptions come from the handler's tags, bodies from its return type. */
const answersOf = (types: SourceTypes, source: SourceHandler, areRows: boolean): Readonly<Record<number, DocumentedResponse>> => {
  const words = new Map(tagged(source, 'answer').map((text) => [Number(text.slice(0, 3)), text.slice(4)]));
  const contents = new Map(
    source.answers.flatMap(({ statuses, body }) => {
      const rows = areRows ? { 'application/x-ndjson': { schema: TEXT }, 'text/csv': { schema: TEXT } } : {};
      const name = body.getSymbol()?.name;
      const json = name === 'FeedItem' ? EVENTS : JSON_TYPE;
      const content = name === 'Uint8Array' ? ZIP : { [json]: { schema: types.schemaOf(body) }, ...rows };
      return statuses.map((status) => [status, { content, ...(areRows && { headers: ROW_HEADERS }) }] as const);
    }),
  );
  return Object.fromEntries(
    [...new Set([...contents.keys(), ...words.keys()])].map((status) => [
      status,
      { description: words.get(status) ?? 'The answer', ...(contents.get(status) ?? REFUSED) },
    ]),
  );
};

/** Others are texts, or of no form that a client relies on. */
const hasNamedSchema = (answer: object): boolean => /"#\/components\/schemas\/(?!Refused")/.test(JSON.stringify(answer));

const documentRoute = (types: SourceTypes, controller: Type<object>, method: string, descriptor: PropertyDescriptor): void => {
  const handler = descriptor.value as object;
  const wanted = requestNameOf(handler);
  const source = types.handler(controller.name, method);
  const Message = messageOf(controller, method);
  const type = source.parameters.find((parameter) => Message !== undefined && parameter.getSymbol()?.name === Message.name);
  const message = type && types.membersOf(type, Message);
  const isGet = Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET;
  const named = pathParametersOf(String(Reflect.getMetadata(PATH_METADATA, handler)), source);
  const answers = answersOf(types, source, message?.properties?.['format'] !== undefined);
  if (wanted === undefined || wanted === 'read-metrics') {
    Documented({
      id: method,
      tag: PROCESS,
      summary: source.text,
      security: [],
      ...(wanted && { description: `Open to everyone. With OPERATOR_METRICS=token, needs the role ${LEAST_ROLES[wanted]} or above.` }),
      responses: {
        ...Object.fromEntries(
          Object.entries(answers).map(([status, { description, ...answer }]) => [
            status,
            { description, ...(status === '200' && hasNamedSchema(answer) && answer) },
          ]),
        ),
        403: refused(`Refused: ${FOREIGN}`),
      },
    })(controller.prototype as object, method, descriptor);
    return;
  }
  const isAction = OPERATOR_ACTIONS.some((action) => action === wanted);
  const [example] = tagged(source, 'example');
  Documented({
    id: wanted.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tag: isAction ? ACTIONS : QUESTIONS,
    summary: source.text,
    description: wanted === 'sign-in' ? 'Needs no other token.' : `Needs the role ${LEAST_ROLES[wanted]} or above.`,
    security: wanted === 'sign-in' ? [] : ['operator'],
    parameters: [...named, ...(isGet && message !== undefined ? queryParametersOf(message) : [])],
    ...(!isGet &&
      type !== undefined && {
        body: { type: JSON_TYPE, schema: types.schemaOf(type, '', Message), example: JSON.parse(example ?? '{}') as unknown },
      }),
    responses: {
      ...ADMISSION,
      403: refused(`Refused: an insufficient role, ${FOREIGN}`),
      ...(isGet ? QUESTION : BODY),
      ...((isAction || named.length > 0) && NOT_FOUND),
      ...(isAction && NOT_KNOWN),
      ...answers,
    },
  })(controller.prototype as object, method, descriptor);
};

export const operatorDocument = (): Promise<OpenAPIObject> => {
  const module = OperatorPortModule.over({ get: () => ({}) as never });
  const types = new SourceTypes(['apps/orchestrator/src/operator/operator-port.module.ts']);
  types.declared('Refused', 'libs/http/server/http-reply.ts');
  const hidden: readonly unknown[] = [ConsoleController, DocumentsController, OperatorMethodsController];
  for (const controller of (module.controllers ?? []) as readonly Type<object>[]) {
    if (hidden.includes(controller)) {
      ApiExcludeController()(controller);
      continue;
    }
    for (const [method, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(controller.prototype as object)))
      if (Reflect.hasMetadata(METHOD_METADATA, descriptor.value as object)) documentRoute(types, controller, method, descriptor);
  }
  return makeDocument({
    title: 'Operator API',
    description:
      'Only on the operator port. A token, or the cookie of a session, identifies the operator. With a cookie, a change needs the `Origin` of this port. Every action is recorded with its actor before it takes effect, and every refusal is recorded. Queries about orders are recorded before the answer. Roles, in ascending order: viewer, investigator, operator, admin.',
    server: 'http://127.0.0.1:8082',
    tags: {
      [QUESTIONS]: 'Queries, which change nothing.',
      [ACTIONS]: 'Actions, each recorded before it takes effect.',
      [PROCESS]: 'Health and metrics of the process.',
    },
    security: { operator: { type: 'http', scheme: 'bearer', description: 'The token from `orch operator new`.' } },
    schemas: types.schemas,
    from: module,
  });
};
