const FORWARD =
  /^(?:(?:first|please)\s+)*(?:find|determine|identify|establish|look\s+up)\s+(?:out\s+)?(?<det>the|which)\s+(?<noun>\p{L}+)(?<rel>[^.?!]*?)(?:[,;.]\s*(?:and\s+|then\s+)*|\s+and\s+(?:then\s+)?)(?<rest>(?:list|give|find|name|which|what|show)\b.+)$/iu;
const FACT =
  /^(?<value>\p{Lu}[^.?!]*?)\s+is\s+(?<det>the|an?)\s+(?<attr>[\p{L} ]+?)\s+of\s+(?:an?|one|some|a certain)\s+(?<noun>\p{L}+)\.\s*(?<rest>.+)$/iu;
const FACT_HAN =
  /^(?<value>[^。，]+?)是(?:某个?|一个)(?<noun>\p{Script=Han}{1,4}?)的(?<attr>\p{Script=Han}{1,8})[。，]\s*(?<rest>.+)$/u;
const FORWARD_HAN =
  /^(?:请)?(?:先)?(?:查明|查出|找出|确定)(?<who>[^，。]+?)(?:属于|位于|在)(?:哪个|哪一个|什么)(?<noun>\p{Script=Han}{2,8})[，。]\s*(?:再|然后|并)*(?<rest>.+)$/u;

/**
 * Puts a first step that a question tells in a sentence of its own back to where it is referred to:
 * `Ab is the seat of a county. Which towns lie in that county?` becomes `Which towns lie in the county whose seat is Ab?`
 */
export function resolveAnaphora(text: string): string {
  const flat = text.trim();
  const forward = FORWARD.exec(flat)?.groups;
  if (forward) {
    const { noun = '', rel = '', rest = '' } = forward;
    const owner = /^\s+of\s+(?:the\s+)?(?=\p{Lu})(.+)$/u.exec(rel)?.[1];
    const description = owner
      ? `the ${noun} to which ${owner} belongs`
      : `the ${noun}${/^which$/i.test(forward.det ?? '') ? ` to which${rel.replace(/\s+belongs?\s+to$/i, ' belongs')}` : rel}`;
    const replaced = replaceReference(rest, noun, description);
    if (replaced !== null) return replaced;
  }
  const fact = FACT.exec(flat)?.groups;
  if (fact) {
    const { value = '', attr = '', noun = '', rest = '' } = fact;
    const replaced = replaceReference(rest, noun, `the ${noun} whose ${attr} is ${value}`);
    if (replaced !== null) return replaced;
  }
  const factHan = FACT_HAN.exec(flat)?.groups;
  if (factHan) {
    const { value = '', attr = '', noun = '', rest = '' } = factHan;
    const pattern = new RegExp(`(?:该|这个|那个|此)(?:${noun}|\\p{Script=Han}{0,1}${noun.slice(-1)})`, 'u');
    if (pattern.test(rest)) return rest.replace(pattern, `${attr}为${value}的${noun}`);
  }
  const forwardHan = FORWARD_HAN.exec(flat)?.groups;
  if (forwardHan) {
    const { who = '', noun = '', rest = '' } = forwardHan;
    const pattern = new RegExp(`(?:该|这个|那个|此)${noun}`, 'u');
    if (pattern.test(rest)) return rest.replace(pattern, `${who}所属${noun}`);
  }
  return text;
}

function replaceReference(rest: string, noun: string, description: string): string | null {
  const pattern = new RegExp(`\\b(?:that|this|the\\s+same)\\s+${noun}\\b`, 'iu');
  return pattern.test(rest) ? rest.replace(pattern, description) : null;
}
