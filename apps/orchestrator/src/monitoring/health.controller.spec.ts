import { HealthController, type Health } from './health.controller';

const READY: Health = { isReady: true, stores: {} };

describe('a readiness request', () => {
  it('shares one check of the stores with concurrent requests, and a later request starts a new check', async () => {
    const answers: ((health: Health) => void)[] = [];
    const controller = new HealthController({ health: () => new Promise((resolve) => answers.push(resolve)) });
    const requests = Array.from({ length: 1_000 }, () => controller.ready());
    expect(answers).toHaveLength(1);
    answers[0]?.(READY);
    await Promise.all(requests);
    const next = controller.ready();
    expect(answers).toHaveLength(2);
    answers[1]?.(READY);
    await next;
  });

  it('starts a new check after a failed one', async () => {
    let checks = 0;
    const controller = new HealthController({ health: () => Promise.reject(new Error(`check ${++checks}`)) });
    await expect(controller.ready()).rejects.toThrow('check 1');
    await expect(controller.ready()).rejects.toThrow('check 2');
  });
});
