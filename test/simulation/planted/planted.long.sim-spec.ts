import { bugsAreFound, IN_EACH_RUN } from './found-by-seeds';
import { PLANTED_BUGS } from './planted-bugs';

describe('a planted bug (safety, section 4)', () => {
  bugsAreFound(PLANTED_BUGS.filter(({ name }) => name !== IN_EACH_RUN));
});
