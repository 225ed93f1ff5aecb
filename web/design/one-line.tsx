/** A text that has fewer letters before its end fits, or ends with an ellipsis as any text does. */
const beginMin = 6
const endLength = 14
const domainMax = 28

/** A text in one line. A long word, such as an address, keeps its end: its last letters and its domain. */
export function OneLine({ text }: { text: string }) {
  const at = text.lastIndexOf('@')
  const end = at > 0 && text.length - at <= domainMax ? text.length - at + 3 : endLength
  if (text.length < end + beginMin || /\s/.test(text)) return <>{text}</>
  return (
    <span class="one-line">
      <span class="hidden-text">{text}</span>
      <span aria-hidden="true" data-text={text.slice(0, -end)} />
      <span aria-hidden="true" data-text={text.slice(-end)} />
    </span>
  )
}
