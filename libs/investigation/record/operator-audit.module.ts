import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { BOOT_ID, CLOCK, IDS, provide, SCHEDULER, token } from '@app/kernel/injection';
import { OperatorAudit, type OperatorAuditListener } from './operator-audit';

export const OPERATOR_AUDIT_LISTENER = token<OperatorAuditListener>('OPERATOR_AUDIT_LISTENER');

/** Records operator activity of this process; refusal counts are written at shutdown. */
@Module({
  providers: [
    provide(
      OperatorAudit,
      { store: EVENT_STORE, clock: CLOCK, ids: IDS, scheduler: SCHEDULER, bootId: BOOT_ID, listener: OPERATOR_AUDIT_LISTENER },
      ({ listener, ...ports }) => new OperatorAudit({ ...ports, listener, onUnwritten: (error) => listener.unwritten(error) }),
    ),
  ],
  exports: [OperatorAudit],
})
export class OperatorAuditModule implements OnApplicationShutdown {
  constructor(@Inject(OperatorAudit) private readonly audit: OperatorAudit) {}

  onApplicationShutdown(): Promise<void> {
    return this.audit.stop();
  }
}
