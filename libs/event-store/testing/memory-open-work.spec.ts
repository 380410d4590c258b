import { MemoryOpenWork } from './memory-open-work';
import { openWorkContract } from './open-work.contract';

openWorkContract('memory', () => {
  const work = new MemoryOpenWork();
  return Promise.resolve({ work, apply: async (changes) => work.apply(changes), close: () => Promise.resolve() });
});
