//! gimli-driver FILE: a peer for the benchmark. Addresses from standard input, one a line; for each
//! its frames as addr2line -f -i prints them, innermost first. FILE is a thin 64-bit Mach-O file.
//! Names stay mangled: that is less work than the other programs do.
use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::os::fd::AsRawFd;

type Slice = EndianSlice<'static, LittleEndian>;

extern "C" {
    fn mmap(at: *mut u8, n: usize, prot: i32, flags: i32, fd: i32, offset: i64) -> *mut u8;
}

fn map(path: &str) -> &'static [u8] {
    let file = File::open(path).expect("open");
    let n = file.metadata().expect("size").len() as usize;
    let at = unsafe { mmap(std::ptr::null_mut(), n, 1, 2, file.as_raw_fd(), 0) }; // read, private
    assert!(at as isize != -1, "mmap");
    unsafe { std::slice::from_raw_parts(at, n) }
}

fn number(data: &[u8], at: usize, size: usize) -> usize {
    data[at..at + size].iter().rev().fold(0, |n, &byte| n << 8 | byte as usize)
}

fn name(data: &[u8], at: usize) -> &str {
    let field = &data[at..at + 16];
    let n = field.iter().position(|&b| b == 0).unwrap_or(16);
    std::str::from_utf8(&field[..n]).unwrap_or("")
}

/// The sections of __DWARF by name, which Mach-O cuts at sixteen bytes.
fn sections(data: &'static [u8]) -> HashMap<&'static str, &'static [u8]> {
    assert!(data[..4] == [0xcf, 0xfa, 0xed, 0xfe], "a thin 64-bit Mach-O file is wanted");
    let mut found = HashMap::new();
    let mut at = 32;
    for _ in 0..number(data, 16, 4) {
        if number(data, at, 4) == 0x19 && name(data, at + 8) == "__DWARF" {
            for i in 0..number(data, at + 64, 4) {
                let section = at + 72 + 80 * i;
                let (size, offset) = (number(data, section + 40, 8), number(data, section + 48, 4));
                found.insert(name(data, section), &data[offset..offset + size]);
            }
        }
        at += number(data, at + 4, 4);
    }
    found
}

fn main() {
    let path = std::env::args().nth(1).expect("which file?");
    let found = sections(map(&path));
    let load = |id: SectionId| -> Result<Slice, addr2line::gimli::Error> {
        let wanted = id.name().replacen('.', "__", 1);
        let wanted = &wanted[..wanted.len().min(16)];
        Ok(EndianSlice::new(found.get(wanted).copied().unwrap_or(&[]), LittleEndian))
    };
    let context = addr2line::Context::from_dwarf(Dwarf::load(load).expect("sections")).expect("DWARF");
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("addresses");
    let mut out = BufWriter::new(std::io::stdout().lock());
    for word in text.split_whitespace() {
        let address = u64::from_str_radix(word.trim_start_matches("0x"), 16).expect("an address");
        let mut frames = context.find_frames(address).expect("frames");
        while let Some(frame) = frames.next().expect("frame") {
            let function = frame.function.as_ref().map(|f| f.raw_name().expect("name"));
            let (file, line) = frame.location.map_or(("??", 0), |l| {
                (l.file.unwrap_or("??"), l.line.unwrap_or(0))
            });
            writeln!(out, "{}\n{}:{}", function.as_deref().unwrap_or("??"), file, line).expect("write");
        }
    }
}
