import { deciderSpec } from '@app/testing';
import { later, NOW, opened } from '../testing/sample-merchant-server';
import type { InvoiceId } from './terms';
import { session, type LearnSession, type ReleaseSession, type SessionLearnt, type SessionReleased } from './session';

const { given } = deciderSpec(session);
const { invoiceId } = opened.data;
const learn = (id: InvoiceId, afterMs = 0): LearnSession => ({ type: 'LearnSession', data: { invoiceId: id, now: later(afterMs) } });
const learnt: SessionLearnt = { type: 'SessionLearnt', data: { invoiceId, learntAt: NOW } };
const release = (id: InvoiceId): ReleaseSession => ({ type: 'ReleaseSession', data: { invoiceId: id, now: later(2) } });
const released: SessionReleased = { type: 'SessionReleased', data: { invoiceId, releasedAt: later(2) } };
const another = 'another' as InvoiceId;

describe('a session token', () => {
  it('belongs permanently to the first invoice that learnt it [W431]', () => {
    given().when(learn(invoiceId)).then(learnt);
    given(learnt).when(learn(invoiceId, 1)).thenRejected({ reason: 'nothing-new' });
    given(learnt).when(learn(another)).thenRejected({ reason: 'other-invoice' });
  });

  it('is released only by its own invoice, and may then belong to another', () => {
    given(learnt).when(release(invoiceId)).then(released);
    given(learnt).when(release(another)).thenRejected({ reason: 'other-invoice' });
    given(learnt, released).when(release(invoiceId)).thenRejected({ reason: 'nothing-new' });
    given().when(release(invoiceId)).thenRejected({ reason: 'nothing-new' });
    given(learnt, released)
      .when(learn(another))
      .then({ type: 'SessionLearnt', data: { invoiceId: another, learntAt: NOW } });
  });

  it('throws for events out of order', () => {
    expect(() => given(learnt, learnt)).toThrow('SessionLearnt twice');
    expect(() => given(released)).toThrow('SessionReleased before SessionLearnt');
  });
});
