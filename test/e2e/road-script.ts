/** Script module of the fake endpoint's own process. */
export { longRoad as default } from '../support/long-road.ts';
