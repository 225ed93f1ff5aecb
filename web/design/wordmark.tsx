import { words } from '../words/common.ts'

/** The mark of Mailyard, the flap of an envelope as an M, and its name. */
export function Wordmark() {
  return (
    <>
      <svg viewBox="0 0 26 26" aria-hidden="true">
        <rect class="brand-tile" width="26" height="26" rx="7" />
        <path class="brand-line" d="M6.5 18.5v-10l6.5 6 6.5-6v10" />
      </svg>
      {words.product}
    </>
  )
}
