/** Shorter ones fit, or end with an ellipsis as any text does. */
const lengthMin = 20
const endLength = 12
const domainMax = 28

/** A text in one line. A long word, such as an address, keeps its end: its last letters and its domain. */
export function OneLine({ text }: { text: string }) {
  if (text.length < lengthMin || /\s/.test(text)) return <>{text}</>
  const at = text.lastIndexOf('@')
  const end = at > 0 && text.length - at <= domainMax ? text.length - at + 3 : endLength
  return (
    <span class="one-line">
      <span class="hidden-text">{text}</span>
      <span aria-hidden="true" data-text={text.slice(0, -end)} />
      <span aria-hidden="true" data-text={text.slice(-end)} />
    </span>
  )
}
