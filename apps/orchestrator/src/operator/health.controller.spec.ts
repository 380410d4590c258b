import { HealthController, type Health } from './health.controller';

const READY: Health = { isReady: true, stores: {} };

describe('readiness', () => {
  it('that many ask for at the same time is one question to the stores, and the next one a new question', async () => {
    const answers: ((health: Health) => void)[] = [];
    const controller = new HealthController({ health: () => new Promise((resolve) => answers.push(resolve)) });
    const asked = Array.from({ length: 1_000 }, () => controller.ready());
    expect(answers).toHaveLength(1);
    answers[0]?.(READY);
    await Promise.all(asked);
    const next = controller.ready();
    expect(answers).toHaveLength(2);
    answers[1]?.(READY);
    await next;
  });

  it('is asked anew behind a question that failed', async () => {
    let asked = 0;
    const controller = new HealthController({ health: () => Promise.reject(new Error(`question ${++asked}`)) });
    await expect(controller.ready()).rejects.toThrow('question 1');
    await expect(controller.ready()).rejects.toThrow('question 2');
  });
});
