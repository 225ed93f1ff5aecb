import { formatNumber } from './format.ts'

/** The words of the set-up steps of a provider, which only the page of a transport loads. */
export const setupWords = {
  title: 'Set-up steps',
  openPage: (host: string) => `Open ${host}`,
  noSenders: 'Fill in the mailbox, or repeat the lines with MAILBOX for each sender.',
  ofSenders: (max: number) =>
    `The mailboxes are the sender of test messages and those of the emails and users that this transport is assigned to, at most ${formatNumber(max)}. Check each of them: the application gets full access.`,
} as const
