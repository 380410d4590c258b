import { momentAsJson } from '@app/investigation';
import { renderStory, storyAsData } from './render-story';
import type { Paint } from '../terminal/paint';
import { momentText } from './moment-text';
import type { StoryAsOf } from './story-as-of';

export const renderAsOf = ({ moment, story, events, eventsNow }: StoryAsOf, paint: Paint): readonly string[] => {
  const [order = '', state = '', ...timeline] = renderStory(story, paint);
  return [order, state, `${momentText(moment)}: ${events} of its ${eventsNow} events`, ...timeline];
};

export const asOfAsData = ({ moment, story, state, events, eventsNow }: StoryAsOf): object => ({
  ...storyAsData(story),
  asOf: { ...momentAsJson(moment), events, eventsNow },
  state,
});
