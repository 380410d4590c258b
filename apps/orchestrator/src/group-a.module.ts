import { Module } from '@nestjs/common';
import type { GroupAOperationKey } from '@app/gateway-protocol';
import { CardRegistrationController } from '@app/card-registration/http/card-registration.controller';
import { CardRegistrationApiModule } from '@app/card-registration/card-registration.module';
import { FollowUpController, OrderStatusController } from '@app/orders/http';
import { FollowUpApiModule, OrderStatusApiModule } from '@app/orders/http/merchant-api.module';
import { PaymentController } from '@app/payment/http/payment.controller';
import { PaymentApiModule } from '@app/payment/payment.module';
import { RecurringController } from '@app/recurring/http/recurring.controller';
import { RecurringApiModule } from '@app/recurring/recurring.module';

export const GROUP_A_CONTROLLERS = [
  OrderStatusController,
  RecurringController,
  PaymentController,
  FollowUpController,
  CardRegistrationController,
] as const;

type ServedBy<Controller> = Controller extends abstract new (...parts: never[]) => infer Instance
  ? keyof Instance & GroupAOperationKey
  : never;

/** `true` if each operation is served once; otherwise a type that names the fault in the compiler's message. */
type EachServedOnce<Controllers extends readonly unknown[], Served extends GroupAOperationKey = never> = Controllers extends readonly [
  infer First,
  ...infer Rest,
]
  ? [ServedBy<First> & Served] extends [never]
    ? EachServedOnce<Rest, Served | ServedBy<First>>
    : { readonly servedTwice: ServedBy<First> & Served }
  : [Exclude<GroupAOperationKey, Served>] extends [never]
    ? true
    : { readonly servedByNone: Exclude<GroupAOperationKey, Served> };

void (true satisfies EachServedOnce<typeof GROUP_A_CONTROLLERS>);

/** Express matches paths in this order, so the most frequent ones come first. */
@Module({ imports: [OrderStatusApiModule, RecurringApiModule, PaymentApiModule, FollowUpApiModule, CardRegistrationApiModule] })
export class GroupAModule {}
