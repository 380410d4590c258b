import { deciderSpec } from '@app/testing';
import { later, NOW, opened } from '../testing/sample-desk';
import type { InvoiceId } from './desk-terms';
import { session, type LearnSession } from './session.decide';
import type { SessionLearnt } from './session.events';

const { given } = deciderSpec(session);
const { invoiceId } = opened.data;
const learn = (id: InvoiceId, afterMs = 0): LearnSession => ({ type: 'LearnSession', data: { invoiceId: id, now: later(afterMs) } });
const learnt: SessionLearnt = { type: 'SessionLearnt', data: { invoiceId, learntAt: NOW } };

describe('a session token', () => {
  it('belongs to the invoice that it was learnt with, for ever', () => {
    given().when(learn(invoiceId)).then(learnt);
    given(learnt).when(learn(invoiceId, 1)).thenRejected({ reason: 'nothing-new' });
    given(learnt)
      .when(learn('another' as InvoiceId))
      .thenRejected({ reason: 'other-invoice' });
  });

  it('is not folded twice', () => {
    expect(() => given(learnt, learnt)).toThrow('SessionLearnt twice');
  });
});
