import { endings } from './run-begins';

/** With the test run. */
export default async (): Promise<void> => {
  for (const end of endings.splice(0).reverse()) await end();
};
