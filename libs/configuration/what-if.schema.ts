import type { EndpointId } from '@app/kernel';
import { z } from 'zod';
import { gateAlias } from './gates/gate.schema';
import { entryPointId, login, screening } from './merchants/merchant.schema';
import { CASCADE_GATES_MAX } from './merchants/routing';
import { routing } from './merchants/routing.schema';
import { asText, listOf, mapping, namesOf } from './reading/scalars';

const MERCHANTS_MAX = 1_000;
const ENDPOINTS_MAX = 10_000;

/** Without rules, where a file of the service would leave the section out: here that means that nothing changes. */
const NONE = 'none';

const orNone = <Section extends z.ZodType>(section: Section) =>
  z.unknown().transform((value, context): z.output<Section> | typeof NONE => {
    if (asText(value) === NONE) return NONE;
    const parsed = section.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  });

const endpoint = mapping({
  id: entryPointId().transform((text) => text as EndpointId),
  gates: namesOf(gateAlias(), { least: 1, most: CASCADE_GATES_MAX }).optional(),
  screening: orNone(screening()).optional(),
  routing: orNone(routing()).optional(),
}).refine(({ gates, screening: limits, routing: rules }) => gates !== undefined || limits !== undefined || rules !== undefined, {
  error: 'must have one of gates, screening and routing',
});

/** The sections of a configuration by which orders are decided, for the entry points that are to have others. */
export const whatIfSchema = mapping({
  merchants: listOf(mapping({ login: login(), endpoints: listOf(endpoint, { least: 1, most: ENDPOINTS_MAX }) }), {
    least: 1,
    most: MERCHANTS_MAX,
  }),
});
export type WhatIfEntries = z.output<typeof whatIfSchema>;
