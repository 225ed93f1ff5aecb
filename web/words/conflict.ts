/** The words of a change that another person has made in the meantime. */
export const conflictWords = {
  text: 'Someone else has changed this in the meantime. Your changes are not saved yet.',
  theirs: 'Theirs:',
  mine: 'Yours:',
  takeTheirs: 'Take their version',
  keepMine: 'Keep your changes',
} as const
