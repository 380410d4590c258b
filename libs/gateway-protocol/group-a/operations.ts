import type {
  AccountVerificationRequest,
  CaptureRequest,
  CreateCardRefRequest,
  CreateCardRefV4Request,
  GetCardInfoRequest,
  MakeRebillSaleRequest,
  OrderStatusRequest,
  OrderStatusV4Request,
  ReturnRequest,
  SaleRequest,
  VoidRequest,
} from '@app/gateway-protocol';
import type { GroupAOperation } from '../../../apps/orchestrator/src/merchant-api/answers/answer';

/** The operations of Group A, made by the composition. */
export interface GroupAOperations {
  readonly sale: GroupAOperation<SaleRequest>;
  readonly preauth: GroupAOperation<SaleRequest>;
  readonly accountVerification: GroupAOperation<AccountVerificationRequest>;
  readonly capture: GroupAOperation<CaptureRequest>;
  readonly return: GroupAOperation<ReturnRequest>;
  readonly void: GroupAOperation<VoidRequest>;
  readonly makeRebillSale: GroupAOperation<MakeRebillSaleRequest>;
  readonly makeRebillPreauth: GroupAOperation<MakeRebillSaleRequest>;
  readonly createCardRef: GroupAOperation<CreateCardRefRequest>;
  readonly createCardRefV4: GroupAOperation<CreateCardRefV4Request>;
  readonly getCardInfo: GroupAOperation<GetCardInfoRequest>;
  readonly status: GroupAOperation<OrderStatusRequest>;
  readonly statusV4: GroupAOperation<OrderStatusV4Request>;
}

/**
 * Every path of Group A (interface, section 4.1; protocol decisions, section 1): `/api/<version>/<operation>/<endpoint>` and
 * `/api/<version>/<operation>/group/<group>`, each to the operation that serves it. All take POST.
 */
export const GROUP_A_PATHS = {
  'v2/sale': 'sale',
  'v2/preauth': 'preauth',
  'v2/account-verification': 'accountVerification',
  'v2/capture': 'capture',
  'v2/return': 'return',
  'v2/void': 'void',
  'v2/make-rebill-sale': 'makeRebillSale',
  'v2/make-rebill': 'makeRebillSale',
  'v2/make-rebill-preauth': 'makeRebillPreauth',
  'v2/create-card-ref': 'createCardRef',
  'v4/create-card-ref': 'createCardRefV4',
  'v2/get-card-info': 'getCardInfo',
  'v2/status': 'status',
  'v4/status': 'statusV4',
} as const satisfies Readonly<Record<string, keyof GroupAOperations>>;

/** One operation, whatever its message. */
type AnyOperation = GroupAOperation<object>;

/** The operation of a path; a look-up costs the same for every one of them. */
export class GroupARoutes {
  readonly #byPath: ReadonlyMap<string, AnyOperation>;

  constructor(operations: GroupAOperations) {
    this.#byPath = new Map(Object.entries(GROUP_A_PATHS).map(([path, name]) => [path, operations[name]]));
  }

  operation(version: string, name: string): AnyOperation | undefined {
    return this.#byPath.get(`${version}/${name}`);
  }
}
