import { counted, countedParts, formatList, formatNumber } from './format.ts'

type Kind = 'transports' | 'templates' | 'emails'

interface Counts {
  emails: number
  users: number
  messages?: number
}

const sayCounts = ({ emails, users, messages = 0 }: Counts) =>
  formatList([
    ...countedParts({ email: emails, user: users }),
    ...(messages > 0 ? [`${counted(messages, 'message')} in the queue`] : []),
  ])

/** The words of what is asked before records are published or unpublished. */
export const publishWords = {
  title: (verb: string, kind: Kind, names: readonly string[]) =>
    `${verb} ${names.length === 1 ? names[0] : `${formatNumber(names.length)} ${kind}`}?`,
  effects: {
    transports: 'Routes skip an unpublished transport.',
    templates: 'What includes an unpublished template by its name does not find it.',
    emails: 'An unpublished email is not sent.',
  } satisfies Record<Kind, string>,
  /** `targets` are what takes over; without a name, nothing does. */
  rerouted: (counts: Counts, targets: readonly (Counts & { name: string | undefined })[]) =>
    [
      `Used by ${sayCounts(counts)}.`,
      ...targets.map(({ name, ...part }) =>
        name === undefined
          ? `No transport is left for ${sayCounts(part)}: messages wait.`
          : `Then sent through ${name}: ${sayCounts(part)}.`,
      ),
    ].join(' '),
} as const
