import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Operator } from '@app/configuration';
import type { ListQuestion } from '@app/investigation';
import type { MerchantLogin } from '@app/kernel';
import type { ReadModelAddress } from '@app/read-models';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { quantile } from '../harness/figure';
import { answerQuestions } from '../harness/program';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const {
  EndableDeadline,
  Secret,
  systemClock: clock,
  systemIds: ids,
  systemScheduler: scheduler,
} = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { openReadModel } = built<typeof import('@app/read-models')>('libs/read-models/index.js');
const { decodeAny } = built<typeof import('@app/read-models/queries')>('libs/read-models/queries/event-codecs.js');
const { actingAlone, AuditService, ListOrders } = built<typeof import('@app/investigation')>('libs/investigation/index.js');
const { OperatorAudit } = built<typeof import('@app/investigation/record')>('libs/investigation/record/index.js');

export interface AuditQuestions {
  readonly dataDir: string;
  readonly place: { readonly path: string } | { readonly url: string };
  readonly questions: Readonly<Record<string, ListQuestion>>;
  readonly asked: number;
}

export interface AuditAnswers {
  readonly p99Ms: Readonly<Record<string, number>>;
}

const LIMIT = 100;
const NOT_COUNTED = 5;

const digests = {
  onceKey: (kind: string, parts: readonly string[]): string =>
    createHmac('sha256', 'bench')
      .update(JSON.stringify([kind, ...parts]))
      .digest('hex'),
};

const placeOf = (place: AuditQuestions['place']): ReadModelAddress => ('path' in place ? place : { url: new Secret(place.url), scheduler });

/** Builds the read models, then asks for each first page like the operator port: found, serialised, and durably audited. */
answerQuestions(async ({ dataDir, place, questions, asked }: AuditQuestions): Promise<AuditAnswers> => {
  const log = await EmbeddedEventStore.open({ path: join(dataDir, 'events.sqlite'), clock, scheduler });
  const model = await openReadModel({ ...placeOf(place), log, decode: decodeAny, clock });
  await model.build();
  const fail = (cause?: unknown): never => {
    throw new Error('no list of orders asks for this', { cause });
  };
  const audit = new OperatorAudit({ store: log, clock, ids, scheduler, bootId: ids.next(), onUnwritten: fail });
  const service = new AuditService({
    lists: new ListOrders({ log, readModel: model, digests, accounts: { logins: [ACME.login as MerchantLogin] } }),
    names: { one: fail, indexState: () => Promise.resolve(undefined) },
    trails: { of: fail },
    sealer: { takeKey: fail },
    questions: { answered: fail },
    digests,
    log,
    clock,
    audit,
  });
  const acting = actingAlone({ name: 'bench', role: 'investigator' } as Operator);
  const p99Ms: Record<string, number> = {};
  for (const [name, question] of Object.entries(questions)) {
    const times: number[] = [];
    for (let number = -NOT_COUNTED; number < asked; number++) {
      const askedAt = performance.now();
      const deadline = new EndableDeadline();
      const page = await service.listOrders(question, { limit: LIMIT, cursor: undefined, format: 'json', deadline }, acting);
      if (page === undefined) throw new Error('no page');
      if (number >= 0) times.push(performance.now() - askedAt);
    }
    p99Ms[name] = quantile(times, 0.99);
  }
  await audit.stop();
  await model.close();
  await log.close();
  return { p99Ms };
});
