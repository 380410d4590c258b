import type { ChargeAnswer } from '@app/gateway-adapters/contract';
import type { CheckOutcome } from '@app/orders';
import { devicePlan, sampleDeviceOrder, settle, usd } from '@app/testing';
import { DeviceScenario } from './device-scenario';
import { approvedBy } from './scripted-gate';

describe('the random sum (protocol decisions, section 7)', () => {
  const verified = async (plan = devicePlan()): Promise<DeviceScenario> => {
    const world = new DeviceScenario();
    world.gate.onVerify = ({ key }) => Promise.resolve({ ...approvedBy(key), randomSum: usd(111n) } as ChargeAnswer);
    const stream = await world.acceptVerification(devicePlan({ operation: 'account-verification' }));
    await world.workOrder.work(stream);
    await settle(10);
    expect((await world.storyOf(stream)).at(-1)).toBe('OrderApproved');
    await world.acceptTransfer(sampleDeviceOrder({ plan }));
    return world;
  };
  const reported = (minor: bigint) => (): Promise<CheckOutcome> => Promise.resolve({ kind: 'passed', randomSum: usd(minor) });
  const checkedAs = async (world: DeviceScenario): Promise<unknown> =>
    (JSON.parse((await world.stored())[1]?.data ?? '{}') as { randomSum?: unknown }).randomSum;

  it.each([
    [111n, 'AUTHENTICATED'],
    [112n, 'NOT_AUTHENTICATED'],
  ] as const)('reported by the cardholder is compared with the withdrawn sum: %s', async (minor, result) => {
    const world = await verified();
    world.merchantServer.onCheck = reported(minor);
    await world.workOrder.work(world.stream);
    expect(await checkedAs(world)).toBe(result);
    expect((await world.story()).at(-1)).toBe('OrderApproved');
  });

  it('is not evaluated if it was not reported or nothing was withdrawn [W366]', async () => {
    const untold = await verified();
    await untold.workOrder.work(untold.stream);
    expect(await checkedAs(untold)).toBeUndefined();
    const unverified = new DeviceScenario();
    unverified.merchantServer.onCheck = reported(111n);
    await unverified.acceptTransfer();
    await unverified.workOrder.work(unverified.stream);
    expect(await checkedAs(unverified)).toBeUndefined();
  });

  it('declines the order with 111 without asking a gate if it is wrong and required', async () => {
    const world = await verified(devicePlan({ device: { isRandomSumRequired: true } }));
    world.merchantServer.onCheck = reported(112n);
    await world.workOrder.work(world.stream);
    expect(await world.lastData()).toMatchObject({ code: 111 });
    expect(world.transferred).toEqual([0, 0]);
  });

  it('is not stored in the log (safety, T36) [W364]', async () => {
    const world = await verified();
    for await (const item of world.store.subscribe('all', 'start')) {
      if (item.kind === 'caught-up') break;
      if (item.kind === 'event') expect(item.event.data).not.toContain('"111"');
    }
  });
});
