import type { DifferenceJson, EventJson, OrderState, WhyJson, StateAsOf } from '@app/investigation';
import type { JsonSchema } from '@app/gateway-protocol';
import { closed, listOf, ORDER, TEXT } from './operator.schemas';

const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
const INSTANT: JsonSchema = { type: 'string', format: 'date-time' };
const INSTANT_OR_NULL: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
const VALUE: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] };
const VALUES: JsonSchema = { type: 'object', additionalProperties: VALUE };

// A member that the type has and no line describes does not compile.
const EVENT_MEMBERS: { readonly [Member in keyof Required<EventJson>]: JsonSchema } = {
  revision: { type: 'integer', description: 'Its number in the order’s stream, from 0.' },
  id: TEXT,
  type: { type: 'string', description: 'As the event catalogue has it.' },
  knownAt: { ...INSTANT, description: 'When it was on record.' },
  trueAt: { ...INSTANT, description: 'When it was so, by the gate’s clock where the gate gave a time.' },
  actor: TEXT,
  claimedActor: { type: 'string', description: 'For whom the actor said to act.' },
  correlation: { type: 'string', description: 'The request that all of it began with.' },
  causation: { type: 'string', description: 'The event or request that it came from.' },
};
const EVENT = closed(EVENT_MEMBERS, ['claimedActor']);

const STATE: { readonly [Member in keyof OrderState]: JsonSchema } = {
  ...ORDER,
  gates: listOf(TEXT),
  descriptor: { ...TEXT_OR_NULL, description: 'The text on the payer’s statement.' },
  attemptKey: TEXT_OR_NULL,
  processingAt: INSTANT_OR_NULL,
  processedAt: { ...INSTANT_OR_NULL, description: 'The gate’s own time of the newest attempt’s outcome.' },
  terminalId: TEXT_OR_NULL,
  payerAuthentication: TEXT_OR_NULL,
  eci: TEXT_OR_NULL,
  advice: TEXT_OR_NULL,
  randomSum: TEXT_OR_NULL,
  payerDueAt: INSTANT_OR_NULL,
  callbacks: listOf(TEXT),
  conflicts: { type: 'integer' },
};

const AS_OF: { readonly [Member in keyof StateAsOf]: JsonSchema } = {
  asOf: {
    ...closed({ version: { type: 'integer' }, knownAt: INSTANT, trueAt: INSTANT }, ['version', 'knownAt', 'trueAt']),
    type: ['object', 'null'],
    description: 'The moment; null for now.',
  },
  eventsNow: { type: 'integer', description: 'The events that the order has by now.' },
  state: closed(STATE),
  events: listOf(EVENT),
};
export const ORDER_STATE_AS_OF = closed(AS_OF);

const DIFFERENCE_MEMBERS: { readonly [Member in keyof DifferenceJson]: JsonSchema } = {
  field: TEXT,
  before: VALUE,
  after: VALUE,
  event: EVENT,
};
export const DIFFERENCE = closed(DIFFERENCE_MEMBERS);

const CAUSE: JsonSchema = {
  oneOf: [
    closed({ kind: { type: 'string', enum: ['event'] }, ...EVENT_MEMBERS }, ['claimedActor']),
    closed({ kind: { type: 'string', enum: ['request'] }, serial: TEXT }),
    closed({ kind: { type: 'string', enum: ['elsewhere'] }, id: TEXT }),
  ],
};

const WHY_MEMBERS: { readonly [Member in keyof WhyJson]: JsonSchema } = {
  field: TEXT,
  values: VALUES,
  before: VALUES,
  event: EVENT,
  causes: { ...listOf(CAUSE), description: 'The nearest first.' },
};
export const WHY = closed(WHY_MEMBERS);
