import {
  ASYNC_FIELDS,
  CREATE_CARD_REF_FIELDS,
  CreateCardRefRequest,
  GET_CARD_INFO_FIELDS,
  GetCardInfoRequest,
  MakeRebillSaleRequest,
  ORDER_STATUS_FIELDS,
  OrderStatusRequest,
  SaleRequest,
} from '@app/gateway-protocol';

/** An operation of Group A as it is described: its message class and the field table of its answer say the rest. */
export interface DocumentedOperation {
  readonly summary: string;
  readonly message: new () => object;
  readonly answer: readonly string[];
  readonly proof: 'control' | 'oauth';
}

const order = { answer: ASYNC_FIELDS, proof: 'control' } as const;
const rebill: DocumentedOperation = { summary: 'Recurrent payment', message: MakeRebillSaleRequest, ...order };

/** Below `<prefix>/api/`, by endpoint and by group (interface, section 4.1; protocol decisions, section 1). */
export const DOCUMENTED_PATHS: Readonly<Record<string, DocumentedOperation>> = {
  'v2/sale': { summary: 'Sale', message: SaleRequest, ...order },
  'v2/make-rebill-sale': rebill,
  'v2/make-rebill': rebill,
  'v2/create-card-ref': { summary: 'Card registration', message: CreateCardRefRequest, answer: CREATE_CARD_REF_FIELDS, proof: 'control' },
  'v2/get-card-info': { summary: 'Card details', message: GetCardInfoRequest, answer: GET_CARD_INFO_FIELDS, proof: 'control' },
  'v2/status': { summary: 'Order status', message: OrderStatusRequest, answer: ORDER_STATUS_FIELDS, proof: 'control' },
};
