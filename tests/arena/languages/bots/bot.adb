with Ada.Text_IO; use Ada.Text_IO;
with Ada.Strings.Fixed; use Ada.Strings.Fixed;
procedure Bot is
   function Part (Line, Word, Last : String) return String is
      From : constant Positive := Index (Line, Word) + Word'Length;
   begin
      return Line (From .. Index (Line, Last, From) - 1);
   end Part;
   Buffer : String (1 .. 65536);
   Last : Natural;
begin
   loop
      Get_Line (Buffer, Last);
      declare
         Line : String renames Buffer (1 .. Last);
      begin
         if Index (Line, """hello""") > 0 then
            Put_Line ("{""type"":""ready""}");
         elsif Index (Line, """ask""") > 0 then
            Put_Line ("{""id"":" & Part (Line, """id"":", ",") & ",""move"":" & Part (Line, """legal"":[", "}") & "}}");
         end if;
         Flush;
      end;
   end loop;
exception
   when End_Error => null;
end Bot;
