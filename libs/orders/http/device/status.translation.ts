import type { StatusCause } from '@app/gateway-protocol';
import type { DeviceAnswer, RequestInSession } from '@app/http/group-b';
import type { PayerPages } from '../payer/payer-pages';
import { deviceStatusAnswer } from './device-status.answer';

/** Verification, sale and transfer status (interface, sections 4.2 and 4.7). */
export class StatusTranslation {
  constructor(private readonly pages: Pick<PayerPages, 'startUrl'>) {}

  answer({ operation, order, message }: RequestInSession): DeviceAnswer<StatusCause> {
    return deviceStatusAnswer(operation.operation, { order, token: message.session.token, pages: this.pages });
  }
}
