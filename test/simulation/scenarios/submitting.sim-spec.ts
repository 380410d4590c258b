import type { CardRefId } from '@app/kernel';
import { type RecurrentMarks, recurringCodec, recurringStream } from '@app/recurring';
import { sampleOrder } from '@app/testing';
import { OrderScenario } from './order-scenario';
import { approvedBy, declinedBy, timedOut } from './scripted-gate';

describe('submitting an order', () => {
  it('records the intent before the gate is asked, and the outcome together with the end', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = async ({ key }) => {
      expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted']);
      return approvedBy(key);
    };
    await expect(world.workOrder.work(world.stream)).resolves.toBeUndefined();
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('charges once for any number of concurrent submissions', async () => {
    const world = new OrderScenario();
    await world.accept();
    await Promise.all(Array.from({ length: 20 }, () => world.workOrder.work(world.stream)));
    expect(world.gate.charges).toHaveLength(1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it("ends declined with the issuer's reason", async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = ({ key }) => Promise.resolve(declinedBy(key));
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptDeclined', 'OrderDeclined']);
    expect(await world.lastData()).toMatchObject({ code: 116 });
  });

  it('ends with 122 if the gate could not be asked', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => Promise.resolve({ kind: 'not-asked', cause: 'unavailable' });
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptNotAsked', 'OrderFailed']);
    expect(await world.lastData()).toMatchObject({ code: 122 });
  });

  describe('that a subscription delivered', () => {
    const delivered = async () => {
      const world = new OrderScenario();
      await world.accept();
      for (const event of await world.stored()) world.process.copies.extend([event]);
      const read = jest.spyOn(world.store, 'read');
      return { world, read };
    };

    it('reads nothing', async () => {
      const { world, read } = await delivered();
      await expect(world.workOrder.work(world.stream)).resolves.toBeUndefined();
      expect(read).not.toHaveBeenCalled();
      expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
    });

    it('reads nothing if the order has ended', async () => {
      const { world, read } = await delivered();
      await world.newProcess().workOrder.work(world.stream);
      for (const event of await world.stored()) world.process.copies.extend([event]);
      read.mockClear();
      await expect(world.workOrder.work(world.stream)).resolves.toBeUndefined();
      expect(read).not.toHaveBeenCalled();
      expect(world.gate.charges).toHaveLength(1);
    });

    it('charges once, and continues from its stream, if another process was first', async () => {
      const { world, read } = await delivered();
      world.gate.onCharge = timedOut;
      await world.newProcess().workOrder.work(world.stream);
      read.mockClear();
      const againAt = await world.workOrder.work(world.stream);
      expect(read).toHaveBeenCalledTimes(1);
      expect(againAt).toBeGreaterThan(world.clock.now());
      expect(world.gate.charges).toHaveLength(1);
    });

    it('charges once for any number of concurrent submissions', async () => {
      const { world } = await delivered();
      const processes = [world.process, world.process, world.newProcess(), world.newProcess()];
      for (const event of await world.stored()) processes[3]?.copies.extend([event]);
      await Promise.all(processes.map(({ workOrder }) => workOrder.work(world.stream)));
      expect(world.gate.charges).toHaveLength(1);
    });
  });

  it('starts nothing while the vault is away, and continues when it is back', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.vault.state = 'away';
    await expect(world.workOrder.work(world.stream)).rejects.toThrow('away');
    expect(await world.story()).toEqual(['OrderAccepted']);
    world.vault.state = 'open';
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
  });

  it('does not charge a shredded card', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.vault.state = 'erased';
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(0);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptNotAsked', 'OrderFailed']);
  });

  it('asks the gate once if the response to its claim was lost (safety, F12)', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.store.stumble({ kind: 'stored-answer-lost' }, { kind: 'not-stored-answer-lost' });
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('does not ask the gate if another process claimed while the response to its claim was lost', async () => {
    const world = new OrderScenario();
    await world.accept();
    const rival = async () => expect((await world.newProcess().workOrder.work(world.stream)) ?? 'done').toBe('done');
    world.store.stumble({ kind: 'not-stored-answer-lost' }, { kind: 'rival', write: rival });
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('asks the gate once if all responses to its claim were lost, because the log shows its own claim', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.store.stumble(...Array.from({ length: 3 }, () => ({ kind: 'stored-answer-lost' as const })));
    await world.workOrder.work(world.stream);
    expect(world.gate.charges).toHaveLength(1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it('claims again if the claim with lost responses is not in the log, and then asks the gate once', async () => {
    const world = new OrderScenario();
    await world.accept();
    world.store.stumble(...Array.from({ length: 3 }, () => ({ kind: 'not-stored-answer-lost' as const })));
    const worked = world.workOrder.work(world.stream);
    await world.clock.advance(0);
    expect(world.gate.charges).toHaveLength(0);
    expect(await world.story()).toEqual(['OrderAccepted']);
    await world.clock.advance(1_000);
    await worked;
    expect(world.gate.charges).toHaveLength(1);
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  });

  it("passes the payer's return address to the gate for an initial payment", async () => {
    const world = new OrderScenario();
    await world.accept();
    await world.workOrder.work(world.stream);
    expect(world.gate.charges[0]).toMatchObject({ payerReturnUrl: expect.stringContaining(world.stream) as string });
  });

  it.each<RecurrentMarks>([{}, { scenario: 'REGULAR' }, { initiator: 'CARDHOLDER' }, { scenario: 'IRREGULAR', initiator: 'MERCHANT' }])(
    'passes scenario and initiator of a recurrent payment to the gate, without a return address: %o [W26, W363]',
    async (marks) => {
      const world = new OrderScenario();
      const order = sampleOrder({ acceptedAt: world.clock.now() });
      const { merchant } = order;
      const stream = recurringStream(merchant, order.clientOrderId);
      const accepted = { type: 'OrderAccepted' as const, data: { ...order, cardRefId: 'a0sample0reference0c' as CardRefId, marks } };
      const serial = '00000000-0000-0000-0000-000000000001';
      const envelope = {
        correlation: serial,
        causation: serial,
        actor: merchant,
        merchant,
        commandId: serial,
        recordedAt: world.clock.now(),
      };
      await world.store.append(stream, 'no_stream', recurringCodec.encode([accepted], stream, 'no_stream', envelope));
      await world.workOrder.work(stream);
      expect(world.gate.charges).toHaveLength(1);
      expect(world.gate.charges[0]?.recurrent).toStrictEqual(marks);
      expect(world.gate.charges[0]).not.toHaveProperty('payerReturnUrl');
    },
  );
});
