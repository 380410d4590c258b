const CONTEXTS = ['payment', 'recurring', 'card-registration', 'device-verification', 'transfer', 'callbacks', 'merchant-server'];
const ORDERS = 'libs/orders/domain';

/**
 * What is mutated, and which specs have to notice: those beside the code, since a test belongs at the lowest level that can fail. A folder stands for all
 * below it. `barPercent` is the share of mutants that must be killed, equivalent ones aside.
 */
export const GROUPS = {
  signers: {
    barPercent: 100,
    mutate: [
      'libs/gateway-protocol/group-a/control.ts',
      'libs/gateway-protocol/group-a',
      'libs/gateway-protocol/group-a/signed-fields.ts',
      'libs/gateway-protocol/group-a/webhook-signature.ts',
      'libs/gateway-protocol/group-b/signatures.ts',
      'libs/gateway-protocol/group-b/signed-text-ambiguity.ts',
      'libs/gateway-protocol/shared/control-key.ts',
      'libs/gateway-protocol/shared/same-secret.ts',
      'libs/card-vault/envelope/service-digests.ts',
      'libs/callbacks/deliveries/callback-request.ts',
    ],
    specs: [
      'libs/gateway-protocol/group-a/control.spec.ts',
      'libs/gateway-protocol/group-a',
      'libs/gateway-protocol/group-a/signed-fields.spec.ts',
      'libs/gateway-protocol/group-a/webhook-signature.spec.ts',
      'libs/gateway-protocol/group-b/signatures.spec.ts',
      'libs/gateway-protocol/shared/control-key.spec.ts',
      'libs/gateway-protocol/shared/same-secret.spec.ts',
      'libs/card-vault/envelope/service-digests.spec.ts',
      'libs/callbacks/deliveries/callback-request.spec.ts',
    ],
  },
  schedules: {
    barPercent: 90,
    mutate: [
      'libs/callbacks/domain/delivery.ts',
      'libs/callbacks/deliveries/delivery-work.ts',
      'libs/orders/domain/inquiry-schedule.ts',
      'libs/orders/domain/flight.ts',
      'libs/orders/domain/next-follow-up-step.ts',
      'libs/orders/application/work/follow-up-work.ts',
      'libs/orders/domain/next-step.ts',
      'libs/orders/application/work/order-work.ts',
      'libs/orders/application/monotonic-wait.ts',
      'libs/orders/application/work/sweep-ownerless-cards.ts',
      'libs/event-store/core/back-off.ts',
      'libs/event-store/copy/retry-policy.ts',
      'libs/kernel/system',
    ],
    specs: [
      'libs/callbacks/domain/repeat-schedule.spec.ts',
      'libs/callbacks/deliveries/delivery-work.spec.ts',
      'libs/orders/domain',
      'libs/orders',
      'libs/orders',
      'libs/orders/application/work/sweep-ownerless-cards.spec.ts',
      'libs/event-store/core/back-off.spec.ts',
      'libs/event-store/copy/retry-policy.spec.ts',
      'libs/kernel/system',
    ],
  },
  canonicalisers: {
    barPercent: 90,
    mutate: [
      'libs/gateway-protocol/group-a/forms/form.ts',
      'libs/gateway-protocol/group-a/forms/form-codec.ts',
      'libs/gateway-protocol/group-a/forms/answer-codec.ts',
      'libs/gateway-protocol/group-a/forms/percent-encoding.ts',
      'libs/gateway-protocol/group-a/callback.ts',
      'libs/gateway-protocol/group-a/idempotency-key.ts',
      'libs/gateway-protocol/group-b/json-reader.ts',
      'libs/gateway-protocol/shared/white-space.ts',
      'libs/kernel/values/money.ts',
      'libs/card-vault/keys/length-prefix.ts',
      'libs/event-store/core/envelope.ts',
      'libs/event-store/core/event-id.ts',
      'libs/event-store/core/length-prefixed.ts',
      'libs/event-store/core/chain.ts',
      'libs/http/group-a/content.ts',
      'libs/orders/http/device/perform.translation.ts',
    ],
    specs: [
      'libs/gateway-protocol/group-a/forms',
      'libs/gateway-protocol/group-a/callback.spec.ts',
      'libs/gateway-protocol/group-a/idempotency-key.spec.ts',
      'libs/gateway-protocol/group-b/json-reader.spec.ts',
      'libs/gateway-protocol/shared/white-space.spec.ts',
      'libs/kernel/values',
      'libs/card-vault/keys/length-prefix.spec.ts',
      'libs/event-store/core',
      'libs/http/group-a/content.spec.ts',
      'libs/orders/http/device/device-content.spec.ts',
    ],
  },
  'deciders-contexts': {
    barPercent: 90,
    mutate: CONTEXTS.map((lib) => `libs/${lib}/domain`),
    specs: CONTEXTS.map((lib) => `libs/${lib}/domain`),
  },
  'deciders-orders': {
    barPercent: 90,
    mutate: [ORDERS],
    // What all contexts of the device interface share is decided by the specs of those contexts.
    specs: [ORDERS, 'libs/transfer/domain', 'libs/device-verification/domain'],
  },
};
