/**
 * The HTML of a message, of which nothing is trusted: in a frame without scripts, forms, and the origin of the console.
 * Pictures of other servers are not loaded (the content security policy), so that no sender learns of it; with `src`,
 * the policy of that page decides.
 */
export function MailFrame({
  html,
  src,
  title,
  isNarrow = false,
}: { title: string; isNarrow?: boolean } & (
  | { html: string; src?: never }
  | { html?: never; src: string }
)) {
  return (
    <iframe
      class="mail-frame"
      sandbox=""
      title={title}
      data-width={isNarrow ? 'phone' : undefined}
      {...(src === undefined ? { srcdoc: html } : { src })}
    />
  )
}
