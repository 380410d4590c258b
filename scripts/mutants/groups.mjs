const PROTOCOL = 'libs/gateway-protocol';
const PROCESSING = 'libs/order-processing';
const CONTEXTS = ['payment', 'recurring', 'card-registration', 'device-verification', 'transfer', 'deliveries', 'merchant-server'];
const PARTS = ['attempts', 'device', 'follow-ups', 'order', 'routing', 'screening'];

/**
 * What is mutated, and which specs have to notice: those beside the code, since a test belongs at the lowest level that can fail. A folder stands for all
 * below it. `barPercent` is the share of mutants that must be killed, equivalent ones aside.
 */
export const GROUPS = {
  signers: {
    barPercent: 100,
    mutate: [
      `${PROTOCOL}/group-a/control.ts`,
      `${PROTOCOL}/group-a/oauth`,
      `${PROTOCOL}/group-a/signed-fields.ts`,
      `${PROTOCOL}/group-a/webhook-signature.ts`,
      `${PROTOCOL}/group-b/signatures.ts`,
      `${PROTOCOL}/group-b/signed-text-ambiguity.ts`,
      `${PROTOCOL}/shared/control-key.ts`,
      `${PROTOCOL}/shared/same-secret.ts`,
      'libs/card-vault/envelope/service-digests.ts',
      'libs/deliveries/callback-request.ts',
    ],
    specs: [
      `${PROTOCOL}/group-a/control.spec.ts`,
      `${PROTOCOL}/group-a/oauth`,
      `${PROTOCOL}/group-a/signed-fields.spec.ts`,
      `${PROTOCOL}/group-a/webhook-signature.spec.ts`,
      `${PROTOCOL}/group-b/signatures.spec.ts`,
      `${PROTOCOL}/shared/control-key.spec.ts`,
      `${PROTOCOL}/shared/same-secret.spec.ts`,
      'libs/card-vault/envelope/service-digests.spec.ts',
      'libs/deliveries/callback-request.spec.ts',
    ],
  },
  schedules: {
    barPercent: 90,
    mutate: [
      'libs/deliveries/domain/repeat-schedule.ts',
      'libs/deliveries/delivery-work.ts',
      `${PROCESSING}/attempts/domain/inquiry-schedule.ts`,
      `${PROCESSING}/attempts/domain/flight.ts`,
      `${PROCESSING}/follow-ups/domain/next-follow-up-step.ts`,
      `${PROCESSING}/follow-ups/application/follow-up-work.ts`,
      `${PROCESSING}/order/domain/next-step.ts`,
      `${PROCESSING}/order/application/order-work.ts`,
      `${PROCESSING}/order/application/monotonic-wait.ts`,
      `${PROCESSING}/cvv/application/sweep-ownerless-cards.ts`,
      'libs/event-store/runners/back-off.ts',
      'libs/event-store/copy/retry-policy.ts',
      'libs/kernel/time',
    ],
    specs: [
      'libs/deliveries/domain/repeat-schedule.spec.ts',
      'libs/deliveries/delivery-work.spec.ts',
      `${PROCESSING}/attempts/domain`,
      `${PROCESSING}/follow-ups`,
      `${PROCESSING}/order`,
      `${PROCESSING}/cvv/application/sweep-ownerless-cards.spec.ts`,
      'libs/event-store/runners/back-off.spec.ts',
      'libs/event-store/copy/retry-policy.spec.ts',
      'libs/kernel/time',
    ],
  },
  canonicalisers: {
    barPercent: 90,
    mutate: [
      `${PROTOCOL}/group-a/forms/form.ts`,
      `${PROTOCOL}/group-a/forms/form-codec.ts`,
      `${PROTOCOL}/group-a/forms/answer-codec.ts`,
      `${PROTOCOL}/group-a/forms/percent-encoding.ts`,
      `${PROTOCOL}/group-a/callback.ts`,
      `${PROTOCOL}/group-a/idempotency-key.ts`,
      `${PROTOCOL}/group-b/json/json-reader.ts`,
      `${PROTOCOL}/shared/white-space.ts`,
      'libs/kernel/money/money.ts',
      'libs/card-vault/sealed-box/length-prefix.ts',
      'libs/event-store/core/envelope.ts',
      'libs/event-store/core/event-id.ts',
      'libs/event-store/core/length-prefixed.ts',
      'libs/event-store/chain/chain.ts',
      'apps/orchestrator/src/merchant-api/orders/content.ts',
      'apps/orchestrator/src/device-api/perform/content.ts',
    ],
    specs: [
      `${PROTOCOL}/group-a/forms`,
      `${PROTOCOL}/group-a/callback.spec.ts`,
      `${PROTOCOL}/group-a/idempotency-key.spec.ts`,
      `${PROTOCOL}/group-b/json/json-reader.spec.ts`,
      `${PROTOCOL}/shared/white-space.spec.ts`,
      'libs/kernel/money',
      'libs/card-vault/sealed-box/length-prefix.spec.ts',
      'libs/event-store/core',
      'libs/event-store/chain',
      'apps/orchestrator/src/merchant-api/orders/content.spec.ts',
      'apps/orchestrator/src/device-api/perform/content.spec.ts',
    ],
  },
  'deciders-contexts': {
    barPercent: 90,
    mutate: CONTEXTS.map((lib) => `libs/${lib}/domain`),
    specs: CONTEXTS.map((lib) => `libs/${lib}/domain`),
  },
  'deciders-orders': {
    barPercent: 90,
    mutate: PARTS.map((part) => `${PROCESSING}/${part}/domain`),
    // What all contexts of the device interface share is decided by the specs of those contexts.
    specs: [...PARTS.map((part) => `${PROCESSING}/${part}/domain`), 'libs/transfer/domain', 'libs/device-verification/domain'],
  },
};
