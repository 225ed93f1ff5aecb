import { formatList, formatNumber } from './format.ts'

type Kind = 'transports' | 'templates' | 'emails'

const count = (value: number, noun: string) =>
  `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`

const sayTarget = ({ name, emails, users }: { name: string; emails: number; users: number }) =>
  `${name} (${[emails && count(emails, 'email'), users && count(users, 'user')].filter(Boolean).join(', ')})`

/** The words of what is asked before records are published or unpublished. */
export const publishWords = {
  title: (verb: string, kind: Kind, names: readonly string[]) =>
    `${verb} ${names.length === 1 ? names[0] : `${formatNumber(names.length)} ${kind}`}?`,
  effects: {
    transports: 'Routes skip an unpublished transport.',
    templates: 'What includes an unpublished template by its name does not find it.',
    emails: 'An unpublished email is not sent.',
  } satisfies Record<Kind, string>,
  /** `messages` is undefined for those who may not see the queue; `targets` are what takes over. */
  rerouted: (
    emails: number,
    users: number,
    messages: number | undefined,
    targets: readonly { name: string; emails: number; users: number }[],
  ) =>
    `What takes another route: ${[
      count(emails, 'email'),
      count(users, 'user'),
      ...(messages === undefined ? [] : [`${count(messages, 'message')} in the queue`]),
    ].join(
      ', ',
    )}.${targets.length === 0 ? '' : ` It is then sent through ${formatList(targets.map(sayTarget))}.`}`,
  targets: { default: 'the default transport', none: 'no transport' },
} as const
