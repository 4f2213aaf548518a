/** Script module of the fake endpoint's own process. */
export { clubTeam as default } from './world.ts';
