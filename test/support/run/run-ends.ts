import { endings } from './run-begins';

/** Stops what all test files of a run share. */
export default async (): Promise<void> => {
  for (const end of endings.splice(0).reverse()) await end();
};
