import { deflateSync } from 'node:zlib';

export interface PdfOptions {
  title?: string;
  /** Deflates the content streams. */
  compress?: boolean;
  /** Lines of each page; a page without lines shows a picture only. */
  pages: readonly (readonly string[])[];
  /** Put instead of the first page's content stream, already deflated. */
  rawStream?: Buffer;
  /** Marks the file as encrypted with an unknown password. */
  encrypted?: boolean;
}

/** A small but complete PDF 1.4 file: catalog, pages, Helvetica, one content stream per page, xref table. */
export function writePdf({
  title,
  compress = false,
  pages,
  rawStream,
  encrypted = false,
}: PdfOptions): Buffer {
  const objects: Buffer[] = [];
  const add = (content: string | Buffer): number => objects.push(Buffer.from(content));
  const kids = pages.map((_, index) => `${5 + index * 2} 0 R`).join(' ');
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  add(`<< /Title (${escaped(title ?? '')}) >>`);
  pages.forEach((lines, index) => {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + index * 2} 0 R >>`,
    );
    const content = lines.length === 0 ? PICTURE : pageContent(lines);
    const raw =
      index === 0 && rawStream ? rawStream : compress ? deflateSync(content) : Buffer.from(content, 'latin1');
    const filter = compress || (index === 0 && rawStream) ? ' /Filter /FlateDecode' : '';
    add(
      Buffer.concat([
        Buffer.from(`<< /Length ${raw.length}${filter} >>\nstream\n`),
        raw,
        Buffer.from('\nendstream'),
      ]),
    );
  });
  if (encrypted)
    add(`<< /Filter /Standard /V 1 /R 2 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> /P -4 >>`);
  return assemble(objects, encrypted ? ` /Encrypt ${objects.length} 0 R /ID [<aa> <aa>]` : '');
}

/** A filled rectangle where a scan would be. */
const PICTURE = 'q 0.8 g 50 50 495 742 re f Q';

const pageContent = (lines: readonly string[]): string =>
  ['BT', '/F1 12 Tf', '72 770 Td', '16 TL', ...lines.map((line) => `(${escaped(line)}) Tj T*`), 'ET'].join(
    '\n',
  );

const escaped = (text: string): string => text.replace(/[\\()]/g, '\\$&');

function assemble(objects: readonly Buffer[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  let size = parts[0]?.length ?? 0;
  const offsets: number[] = [];
  objects.forEach((content, index) => {
    const object = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), content, Buffer.from('\nendobj\n')]);
    offsets.push(size);
    parts.push(object);
    size += object.length;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R${trailer} >>\nstartxref\n${size}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
