/**
 * The HTML of a received message, of which nothing is trusted: in a frame without scripts, forms, and the origin of the
 * console. The content security policy of `src` decides whether pictures of other servers are loaded.
 */
export function MailFrame({ src, title }: { src: string; title: string }) {
  return <iframe class="mail-frame" sandbox="" title={title} src={src} />
}
