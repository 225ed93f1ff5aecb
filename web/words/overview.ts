import { formatNumber } from './format.ts'

/** The words of the overview. */
export const overviewWords = {
  nothing: 'The screens that you may view are in the menu.',
  outcomes: {
    title: { outcome: 'Messages by outcome', event: 'Events' },
    noEvents:
      'No provider has reported anything about the messages of this time. The page of a transport says how to set up its events.',
    range: 'Time',
    ranges: { hour: 'Hour', day: 'Day', week: 'Week' },
    chart: 'Chart of the messages. The table below has its numbers.',
    table: 'Table',
    time: 'Since',
  },
  failing: {
    title: 'Failing now',
    all: 'All transports',
    none: 'No transport fails.',
    noReason: 'The reason is not shown to you.',
    share: (failed: number, attempted: number) =>
      `${formatNumber(failed)} of ${formatNumber(attempted)} failed`,
    fault: (text: string, count: number) =>
      count > 1 ? `${formatNumber(count)} times: ${text}` : text,
  },
  uncertain: {
    title: 'Waiting for a decision',
    all: 'Decide',
    none: 'No delivery is uncertain.',
  },
  queue: {
    title: 'Queue by transport',
    all: 'Queue',
    none: 'The queue is empty.',
    count: (count: number) => `${formatNumber(count)} waiting`,
    held: (count: number) => `${formatNumber(count)} held`,
  },
  limits: {
    title: 'Limits of today',
    all: 'All limits',
    none: 'There is no limit.',
    warmUp: (day: number) => `Warm-up, day ${formatNumber(day)}`,
  },
  findings: {
    title: 'Findings',
    all: 'Health',
    none: 'The check of this installation finds nothing.',
  },
  refusals: {
    through: (transport: string | null, reason: string) =>
      transport === null ? reason : `${transport}: ${reason}`,
    equal: (count: number) => `${formatNumber(count)} alike,`,
    title: 'Latest refusals',
    all: 'All refusals',
    none: 'No message was refused.',
  },
  steps: {
    intro: 'Nothing has been sent yet. Three steps to the first message:',
    done: 'Done',
    add: {
      title: 'Add a transport',
      text: 'A mail server or a provider that Mailyard sends through.',
      action: 'Add a transport',
    },
    test: {
      title: 'Test it',
      text: 'A test message shows each stage, and what to do if one fails.',
      action: 'Test the transport',
    },
    send: {
      title: 'Send',
      text: 'Write an email, assign the transport, and send it to a contact.',
      action: 'Choose an email',
    },
  },
} as const
