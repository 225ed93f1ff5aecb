import { formatNumber } from './format.ts'

type Kind = 'transports' | 'templates' | 'emails'

const one: Record<Kind, string> = {
  transports: 'this transport',
  templates: 'this template',
  emails: 'this email',
}
const count = (value: number, noun: string) =>
  `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`

/** The words of what is asked before records are published or unpublished. */
export const publishWords = {
  title: (verb: string, kind: Kind, number: number) =>
    `${verb} ${number === 1 ? one[kind] : `${formatNumber(number)} ${kind}`}?`,
  effects: {
    transports: 'Routes skip an unpublished transport.',
    templates: 'What includes an unpublished template by its name does not find it.',
    emails: 'An unpublished email is not sent.',
  } satisfies Record<Kind, string>,
  /** `messages` is undefined for those who may not see the queue. */
  rerouted: (emails: number, users: number, messages: number | undefined) =>
    `What is sent through another route, or through the default one: ${[
      count(emails, 'email'),
      count(users, 'user'),
      ...(messages === undefined ? [] : [`${count(messages, 'message')} in the queue`]),
    ].join(', ')}.`,
} as const
