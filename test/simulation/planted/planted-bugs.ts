interface Edit {
  readonly file: string;
  /** Must occur exactly once in the file, so that a change of the code is noticed. */
  readonly find: string;
  readonly put: string;
}

interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** At least one seed from 1 to this one must find it. */
  readonly withinSeeds: number;
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'resubmit-on-timeout',
    edits: [
      {
        file: 'libs/orders/application/gates/submit-attempt.ts',
        find: 'const answering = ask(this.request(open, prepared), sum, noting);',
        put: `const first = await ask(this.request(open, prepared), sum, noting);
        const answering = first.kind === 'unknown' ? ask(this.request(open, prepared), sum, noting) : Promise.resolve(first);`,
      },
    ],
    withinSeeds: 100,
  },
  {
    name: 'acknowledge-before-append',
    edits: [
      {
        file: 'libs/orders/application/acceptance/accept-order.ts',
        find: 'const result = await runOpeningDecision<Command, Event, State, Rejection>(run);',
        put: `void runOpeningDecision<Command, Event, State, Rejection>(run).catch(() => undefined);
  const result = { kind: 'appended' } as never as Awaited<ReturnType<typeof runOpeningDecision<Command, Event, State, Rejection>>>;`,
      },
    ],
    withinSeeds: 100,
  },
  {
    name: 'stale-copy-without-revision-check',
    edits: [
      {
        file: 'libs/event-store/decide/decision-runner.ts',
        find: "const answer = await appendKnown(store, stream, loaded.last === 'no_stream' ? 'no_stream' : loaded.last.revision, encoded);",
        put: `let answer = await appendKnown(store, stream, loaded.last === 'no_stream' ? 'no_stream' : loaded.last.revision, encoded);
    if (answer.kind === 'conflict' && from !== undefined && answer.actual !== 'no_stream') {
      answer = await appendKnown(store, stream, answer.actual, encoded);
    }`,
      },
    ],
    withinSeeds: 100,
  },
  {
    name: 'call-before-attempt-started',
    edits: [
      {
        file: 'libs/orders/application/gates/submit-attempt.ts',
        find: '    const claim = await this.ports.claims.hold(open, {',
        put: `    const early = askWith(gate, order.plan.operation, funds)?.(
      this.request(open, prepared),
      { amount, destination, ...(open.marks && { recurrent: open.marks }) },
      { withinMs: 30_000 } as never,
    );
    const claim = await this.ports.claims.hold(open, {`,
      },
      {
        file: 'libs/orders/application/gates/submit-attempt.ts',
        find: 'const answering = ask(this.request(open, prepared), sum, noting);',
        put: `void [sum, noting];
        const answering = early as Promise<TransferAnswer>;`,
      },
    ],
    withinSeeds: 200,
  },
  {
    name: 'believe-not-found-at-once',
    edits: [
      {
        file: 'libs/orders/application/gates/inquire-attempt.ts',
        find: 'if (!isFlightOver || this.ports.underWay.waitsMs(key, attemptFlight(open, attempts)) !== 0) return open;',
        put: 'void isFlightOver;',
      },
    ],
    withinSeeds: 200,
  },
  {
    name: 'late-answer-dropped',
    edits: [
      {
        file: 'libs/orders/application/gates/gate-caller.ts',
        find: 'await this.recordUntilStored(call, () => record(answered as Definite<Answer>))',
        put: 'void record',
      },
    ],
    withinSeeds: 400,
  },
  {
    name: 'next-gate-after-unknown',
    edits: [
      {
        file: 'libs/orders/domain/cascade.ts',
        find: `if (newest.status !== 'declined' && newest.status !== 'not-asked') return 'nowhere';`,
        put: `if (newest.status === 'unknown') return 'next-gate';
  if (newest.status !== 'declined' && newest.status !== 'not-asked') return 'nowhere';`,
      },
      {
        file: 'libs/orders/domain/attempts.ts',
        find: `    case 'not-asked': {
      if (state.status !== 'none' && isRevoked(state))`,
        put: `    case 'unknown':
    case 'not-asked': {
      if (state.status !== 'none' && state.status !== 'unknown' && isRevoked(state))`,
      },
    ],
    withinSeeds: 300,
  },
  {
    name: 'nonces-in-memory-only',
    edits: [
      {
        file: 'libs/http/group-a/oauth-verifier.ts',
        find: '  constructor(private readonly ports: OAuthVerifierPorts) {}',
        put: `  readonly #seen = new Set<string>();

  constructor(private readonly ports: OAuthVerifierPorts) {}`,
      },
      {
        file: 'libs/http/group-a/oauth-verifier.ts',
        find: `    const claim = await claimUnique(storeWithin(store, exchange.deadline), NONCE, nonceKey, exchange.serial, envelope);
    return typeof claim === 'string';`,
        put: `    void [store, envelope, claimUnique, storeWithin];
    const isNew = !this.#seen.has(nonceKey);
    this.#seen.add(nonceKey);
    return Promise.resolve(isNew);`,
      },
    ],
    withinSeeds: 200,
  },
  {
    name: 'retry-for-ever',
    edits: [
      {
        file: 'libs/callbacks/domain/delivery.ts',
        find: 'const gapMs = REPEAT_GAPS_MS[tryNumber - 1];',
        put: 'const gapMs = REPEAT_GAPS_MS[tryNumber - 1] ?? REPEAT_GAPS_MS.at(-1);',
      },
    ],
    withinSeeds: 200,
  },
  {
    name: 'mark-delivered-before-send',
    edits: [
      {
        file: 'libs/callbacks/deliveries/deliver-callback.reactor.ts',
        find: 'const result = isTriedBefore(state, fact) ? NOT_ACKNOWLEDGED : await this.#try(factId, item.stream, fact);',
        put: `void this.#try(factId, item.stream, fact).catch(() => undefined);
    const result = { kind: 'delivered', status: 200 } as TryResult;`,
      },
    ],
    withinSeeds: 100,
  },
  {
    name: 'callback-dropped-on-4xx',
    edits: [
      {
        file: 'libs/callbacks/deliveries/deliver-callback.reactor.ts',
        find: 'if (outcome.status !== DELIVERED_STATUS) return',
        put: 'if (outcome.status >= 500) return',
      },
    ],
    withinSeeds: 300,
  },
  {
    name: 'checkpoint-before-apply',
    edits: [
      {
        file: 'libs/read-models/engine/projecting/projector.ts',
        find: `    const parked = await this.#live.transactAsOwner(async (db, epoch) => {
`,
        put: `    await this.#live.transactAsOwner((db, epoch) => this.#moveTo(db, upTo, epoch));
    const parked = await this.#live.transactAsOwner(async (db) => {
`,
      },
      {
        file: 'libs/read-models/engine/projecting/projector.ts',
        find: `      await this.#moveTo(db, upTo, epoch);
      return failed;`,
        put: '      return failed;',
      },
    ],
    withinSeeds: 300,
  },
  {
    name: 'check-skipped',
    edits: [
      {
        file: 'libs/orders/application/gates/check-order.ts',
        find: 'const result = await this.resultOf(open, await this.ask(open));',
        put: `const result = await this.resultOf(open, { kind: 'passed' } as CheckOutcome);`,
      },
    ],
    withinSeeds: 100,
  },
  {
    name: 'merchant-missing-in-cache-key',
    edits: [
      {
        file: 'libs/card-registration/application/issued-references.ts',
        find: '  readonly #streams;',
        put: `  readonly #streams;
  readonly #known = new Map<string, never>();`,
      },
      {
        file: 'libs/card-registration/application/issued-references.ts',
        find: `    const { state } = await this.#streams.load(cardReferenceStream(merchant, cardRefId), deadline);
    return state.status`,
        put: `    const known = this.#known.get(cardRefId);
    const { state } = known ?? (await this.#streams.load(cardReferenceStream(merchant, cardRefId), deadline));
    if (state.status === 'issued') this.#known.set(cardRefId, { state } as never);
    return state.status`,
      },
    ],
    withinSeeds: 400,
  },
  {
    name: 'returns-not-summed',
    edits: [
      {
        file: 'libs/orders/domain/request-follow-up.ts',
        find: 'leftMinor: fromMinor - sumOf(used.filter(mayHaveMoved)),',
        put: 'leftMinor: fromMinor,',
      },
    ],
    withinSeeds: 300,
  },
  {
    name: 'held-entry-point-serves',
    edits: [
      {
        file: 'libs/orders/application/acceptance/route-order.ts',
        find: "if (switches.isHeld('endpoint', offer.endpointId)) return undefined;",
        put: '',
      },
    ],
    withinSeeds: 100,
  },
  {
    name: 'held-gate-is-called',
    edits: [
      {
        file: 'libs/orders/application/gates/submit-attempt.ts',
        find: 'const gate = this.ports.gates.gate(routeStep.gate);',
        put: 'const gate = this.ports.gates.gate(open.order.plan.route?.heldGates?.[0] ?? routeStep.gate);',
      },
      {
        file: 'libs/orders/application/gates/submit-attempt.ts',
        find: 'plannedGate(open.order, gate.profile.alias).descriptor',
        put: 'plannedGate(open.order, open.order.plan.gates[0].alias).descriptor',
      },
    ],
    withinSeeds: 100,
  },
  {
    name: 'switches-read-once',
    edits: [
      {
        file: 'libs/event-store/subscribe/followed-stream.ts',
        find: 'this.#next = this.settings.scheduler.after(FOLLOWED_EVERY_MS, () => void this.start());',
        put: 'void FOLLOWED_EVERY_MS;',
      },
    ],
    withinSeeds: 100,
  },
  {
    name: 'own-proposal-approved',
    edits: [
      {
        file: 'libs/investigation/approvals/domain/approval.ts',
        find: "if (!isAlone && approver === proposed.proposer) return { reason: 'own-proposal' };",
        put: '',
      },
    ],
    withinSeeds: 100,
  },
  {
    name: 'approval-limit-in-major-units',
    edits: [
      {
        file: 'apps/orchestrator/src/operator/four-eyes.ts',
        find: 'weighed.minor >= least.minor',
        put: 'weighed.minor >= least.minor * 100n',
      },
    ],
    withinSeeds: 100,
  },
];
