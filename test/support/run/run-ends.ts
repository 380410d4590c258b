import { endings } from './run-begins';

export default async (): Promise<void> => {
  for (const end of endings.splice(0).reverse()) await end();
};
