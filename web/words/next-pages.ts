/** The steps through a list, the newest first. */
export const nextPagesWords = { newest: 'Newest', older: 'Older' }
